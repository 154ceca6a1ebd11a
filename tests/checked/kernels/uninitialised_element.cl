// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64]=i int[64]
kernel void faulty(global const int* in, global int* out) {
  int i = get_global_id(0), t[8];
  for (int k = 0; k < 7; ++k)
    t[k] = in[k];
  out[i] = t[in[i] & 7]; // FAULT
}

kernel void fixed(global const int* in, global int* out) {
  int i = get_global_id(0), t[8];
  for (int k = 0; k < 8; ++k)
    t[k] = in[k];
  out[i] = t[in[i] & 7];
}
