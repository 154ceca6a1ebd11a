// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: uchar[64]=i uchar[64]
kernel void faulty(global const uchar* in, global uchar* out) {
  int i = get_global_id(0);
  out[i] = in[i ^ 64]; // FAULT
}

kernel void fixed(global const uchar* in, global uchar* out) {
  int i = get_global_id(0);
  out[i] = in[i ^ 32];
}
