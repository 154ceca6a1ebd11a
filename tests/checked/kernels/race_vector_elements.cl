// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// args: float4[16]=0 int[64]
kernel void faulty(global float4* p, global int* out) {
  int i = get_global_id(0);
  p[i / 4][i % 2] = i; // FAULT
  out[i] = i;
}

// Work-items write different elements of a vector.
kernel void fixed(global float4* p, global int* out) {
  int i = get_global_id(0);
  p[i / 4][i % 4] = i;
  if (i % 4 == 3)
    p[i / 4].w += 1;
  out[i] = i;
}
