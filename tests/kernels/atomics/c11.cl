// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL 2.0's atomic types: fetch functions with orders and scopes, exchange, compare-and-exchange, flags.
kernel void modern(global atomic_int* sum, global atomic_uint* bits, global atomic_int* largest, global atomic_int* product,
                   global int* flagged, global atomic_flag* flag) {
  const int i = get_global_id(0);
  atomic_fetch_add(sum, i);
  atomic_fetch_add_explicit(sum, 1, memory_order_relaxed);
  atomic_fetch_sub_explicit(sum, 2, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_or_explicit(bits, 1u << (i & 31), memory_order_relaxed, memory_scope_device);
  atomic_fetch_max_explicit(largest, i * 3, memory_order_seq_cst, memory_scope_device);
  int expected = atomic_load_explicit(product, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(product, &expected, expected * 2 + 0, memory_order_acq_rel, memory_order_relaxed,
                                                memory_scope_device)) {}
  if (!atomic_flag_test_and_set(flag)) flagged[0] += 1;
}
