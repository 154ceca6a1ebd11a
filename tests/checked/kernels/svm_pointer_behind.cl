// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: pointers:int[64] int[64]
kernel void faulty(global const ulong* pointers, global int* out) {
  int i = get_global_id(0);
  global int* block = (global int*)pointers[0];
  out[i] = block[i + 1]; // FAULT
}

kernel void fixed(global const ulong* pointers, global int* out) {
  int i = get_global_id(0);
  global int* block = (global int*)pointers[0];
  out[i] = block[i];
}
