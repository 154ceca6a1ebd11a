// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: value
// launch: global=64 local=16
// args: int[64]=i int[64]
kernel void faulty(global const int* in, global int* out) {
  int i = get_global_id(0);
  out[i] = 100 / in[i]; // FAULT
}

kernel void fixed(global const int* in, global int* out) {
  int i = get_global_id(0);
  out[i] = in[i] ? 100 / in[i] : 0;
}
