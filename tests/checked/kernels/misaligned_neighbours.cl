// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=16 local=16
// args: float[68]=0 int[64]
// Neighbours write beside each other, but no vector is where it must be: no race.
kernel void faulty(global float* p, global int* out) {
  int i = get_global_id(0);
  *(global float4*)(p + 4 * i + 1) = (float4)(i); // FAULT
}

kernel void fixed(global float* p, global int* out) {
  int i = get_global_id(0);
  *(global float4*)(p + 4 * i) = (float4)(i);
}
