// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: sub:float[64] float[64]
kernel void faulty(global const float* in, global float* out) {
  int i = get_global_id(0);
  out[i] = in[i + 32]; // FAULT
}

kernel void fixed(global const float* in, global float* out) {
  int i = get_global_id(0);
  out[i] = in[i];
}
