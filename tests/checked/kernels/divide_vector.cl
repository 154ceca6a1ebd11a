// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: value
// launch: global=64 local=16
// args: int4[64]=i int4[64]
kernel void faulty(global const int4* in, global int4* out) {
  int i = get_global_id(0);
  out[i] = 100 % (in[i] - 7); // FAULT
}

kernel void fixed(global const int4* in, global int4* out) {
  int i = get_global_id(0);
  out[i] = 100 % (in[i] * 2 + 1);
}
