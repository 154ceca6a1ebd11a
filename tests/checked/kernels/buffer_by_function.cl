// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: float[64]=i float[64]
float next(global const float* at) {
  return at[1]; // FAULT
}
kernel void faulty(global const float* in, global float* out) {
  int i = get_global_id(0);
  out[i] = next(in + i);
}

kernel void fixed(global const float* in, global float* out) {
  int i = get_global_id(0);
  out[i] = next(in + min(i, 62));
}
