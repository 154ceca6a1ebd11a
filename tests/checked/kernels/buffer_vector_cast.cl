// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: float[64]=i float4[64]
kernel void faulty(global const float* in, global float4* out) {
  int i = get_global_id(0);
  out[i] = ((global const float4*)in)[i]; // FAULT
}

kernel void fixed(global const float* in, global float4* out) {
  int i = get_global_id(0);
  out[i] = ((global const float4*)in)[i % 16];
}
