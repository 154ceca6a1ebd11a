// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: svm:int[64] int[64]
kernel void faulty(global const int* in, global int* out) {
  int i = get_global_id(0);
  out[i] = in[i + 16]; // FAULT
}

kernel void fixed(global const int* in, global int* out) {
  int i = get_global_id(0);
  out[i] = in[i];
}
