// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// options: -cl-std=CL3.0
// args: int[16]=0 int[64]
void add(int* to, int value) { *to += value; } // FAULT

kernel void faulty(global int* sums, global int* out) {
  add(&sums[get_local_id(0) / 2], 1);
  out[get_global_id(0)] = 0;
}

kernel void fixed(global int* sums, global int* out) {
  local int mine[16];
  mine[get_local_id(0)] = 0;
  add(&mine[get_local_id(0)], 1);
  out[get_global_id(0)] = mine[get_local_id(0)];
}
