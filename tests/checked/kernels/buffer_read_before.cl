// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: float[64]=i float[64]
kernel void faulty(global const float* in, global float* out) {
  int i = get_global_id(0);
  float left = in[i - 1]; // FAULT
  out[i] = left + in[i];
}

kernel void fixed(global const float* in, global float* out) {
  int i = get_global_id(0);
  float left = i > 0 ? in[i - 1] : 0;
  out[i] = left + in[i];
}
