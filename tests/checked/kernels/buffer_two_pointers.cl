// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64]=i int[32]=i int[64]
kernel void faulty(global const int* a, global const int* b, global int* out) {
  int i = get_global_id(0);
  global const int* from = i & 1 ? a : b;
  out[i] = from[i]; // FAULT
}

kernel void fixed(global const int* a, global const int* b, global int* out) {
  int i = get_global_id(0);
  global const int* from = i & 1 ? a : b;
  out[i] = from[i & 31];
}
