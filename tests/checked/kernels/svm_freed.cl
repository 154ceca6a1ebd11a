// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: freed:int[64] int[64]
kernel void faulty(global const ulong* pointers, global int* out) {
  int i = get_global_id(0);
  out[i] = ((global int*)pointers[1])[i]; // FAULT
}

kernel void fixed(global const ulong* pointers, global int* out) {
  int i = get_global_id(0);
  out[i] = ((global int*)pointers[0])[i];
}
