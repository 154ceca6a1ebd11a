// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: barrier
// launch: global=64 local=16
// options: -cl-std=CL3.0
// args: int[64]
kernel void faulty(global int* out) {
  int i = get_global_id(0), sum = 0;
  if (i % 16 > 3)
    sum = work_group_reduce_add(i); // FAULT
  out[i] = sum;
}

kernel void fixed(global int* out) {
  int i = get_global_id(0), sum = 0;
  sum = work_group_reduce_add(i % 16 > 3 ? i : 0);
  out[i] = sum;
}
