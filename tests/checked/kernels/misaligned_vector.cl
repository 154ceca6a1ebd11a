// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: float[68]=i float[64]
kernel void faulty(global const float* in, global float* out) {
  int i = get_global_id(0);
  float4 v = *(global const float4*)(in + (i & 63)); // FAULT
  out[i] = v.x;
}

kernel void fixed(global const float* in, global float* out) {
  int i = get_global_id(0);
  float4 v = *(global const float4*)(in + (i & 60));
  out[i] = v.x;
}
