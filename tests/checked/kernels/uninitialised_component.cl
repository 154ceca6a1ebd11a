// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: float[64]
kernel void faulty(global float* out) {
  int i = get_global_id(0);
  float4 v;
  v.x = i;
  v.y = 1;
  v.w = 2;
  out[i] = v.x + v.z; // FAULT
}

kernel void fixed(global float* out) {
  int i = get_global_id(0);
  float4 v;
  v.x = i;
  v.y = 1;
  v.w = 2;
  out[i] = v.x + v.w;
}
