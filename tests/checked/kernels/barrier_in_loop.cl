// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: barrier
// launch: global=64 local=16
// args: int[64]
kernel void faulty(global int* out) {
  int l = get_local_id(0), sum = 0;
  for (int k = 0; k < 2 + l / 8; ++k) {
    sum += k;
    barrier(CLK_LOCAL_MEM_FENCE); // FAULT
  }
  out[get_global_id(0)] = sum;
}

kernel void fixed(global int* out) {
  int l = get_local_id(0), sum = 0;
  for (int k = 0; k < 2 + get_group_id(0); ++k) {
    sum += k;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = sum;
}
