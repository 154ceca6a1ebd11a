// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: float[64]=i float[64] int:64
kernel void faulty(global const float* in, global float* out, int n) {
  float sum = 0;
  for (int k = 0; k <= n; ++k)
    sum += in[k]; // FAULT
  out[get_global_id(0)] = sum;
}

kernel void fixed(global const float* in, global float* out, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += in[k];
  out[get_global_id(0)] = sum;
}
