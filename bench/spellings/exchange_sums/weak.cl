// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weak exchange of C11, on atomic reals.
kernel void sums(global const int* places, global const float* values, global atomic_float* y) {
  int i = get_global_id(0);
  float old = atomic_load_explicit(&y[places[i]], memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_weak_explicit(&y[places[i]], &old, old + values[i], memory_order_relaxed,
                                                memory_order_relaxed, memory_scope_device))
    ;
}
