// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: null int[64]
kernel void faulty(global const int* in, global int* out) {
  int i = get_global_id(0);
  out[i] = in[i]; // FAULT
}

kernel void fixed(global const int* in, global int* out) {
  int i = get_global_id(0);
  out[i] = in != 0 ? in[i] : i;
}
