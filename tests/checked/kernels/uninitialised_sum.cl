// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: float[64]=i float[64]
kernel void faulty(global const float* in, global float* out) {
  float sum;
  for (int k = 0; k < 64; ++k)
    sum += in[k]; // FAULT
  out[get_global_id(0)] = sum;
}

kernel void fixed(global const float* in, global float* out) {
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += in[k];
  out[get_global_id(0)] = sum;
}
