// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// options: -cl-std=CL3.0
// args: int[4]=0 int[64]
kernel void faulty(global atomic_int* counts, global int* out) {
  int i = get_global_id(0);
  atomic_fetch_add_explicit(&counts[i & 3], 1, memory_order_relaxed, memory_scope_device); // ALSO
  out[i] = ((global int*)counts)[i & 3]; // FAULT
}

kernel void fixed(global atomic_int* counts, global int* out) {
  int i = get_global_id(0);
  atomic_fetch_add_explicit(&counts[i & 3], 1, memory_order_relaxed, memory_scope_device);
  out[i] = atomic_load_explicit(&counts[i & 3], memory_order_relaxed, memory_scope_device);
}
