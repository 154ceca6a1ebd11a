// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: value
// launch: global=64 local=16
// args: float[64]=i int[64]
kernel void faulty(global const float* in, global int* out) {
  int i = get_global_id(0);
  out[i] = (int)(in[i] * 1e8f); // FAULT
}

kernel void fixed(global const float* in, global int* out) {
  int i = get_global_id(0);
  out[i] = (int)(in[i] * 1e7f);
}
