// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: uchar[260] int[64]
kernel void faulty(global const uchar* in, global int* out) {
  int i = get_global_id(0);
  out[i] = *(global const int*)(in + 4 * i + 1); // FAULT
}

kernel void fixed(global const uchar* in, global int* out) {
  int i = get_global_id(0);
  out[i] = *(global const int*)(in + 4 * i);
}
