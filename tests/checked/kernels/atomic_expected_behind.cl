// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// options: -cl-std=CL3.0
// args: int[64]=0 int[64]=0 int[64]
kernel void faulty(global atomic_int* values, global int* expected, global int* out) {
  int i = get_global_id(0);
  out[i] = atomic_compare_exchange_strong(&values[i], &expected[i + 1], 1); // FAULT
}

kernel void fixed(global atomic_int* values, global int* expected, global int* out) {
  int i = get_global_id(0);
  out[i] = atomic_compare_exchange_strong(&values[i], &expected[i], 1);
}
