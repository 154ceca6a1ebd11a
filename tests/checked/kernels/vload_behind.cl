// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: float[64]=i float[64]
kernel void faulty(global const float* in, global float* out) {
  int i = get_global_id(0);
  out[i] = dot(vload4(i, in), (float4)(1)); // FAULT
}

kernel void fixed(global const float* in, global float* out) {
  int i = get_global_id(0);
  out[i] = dot(vload4(i / 4, in), (float4)(1));
}
