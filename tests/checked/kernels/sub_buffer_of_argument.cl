// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: float[96]=i begin:0:float[64] float[64]
// The sub-buffer begins where the whole buffer does, which is an argument, too.
kernel void faulty(global const float* whole, global const float* part, global float* out) {
  int i = get_global_id(0);
  out[i] = whole[i + 32] + part[i + 32]; // FAULT
}

kernel void fixed(global const float* whole, global const float* part, global float* out) {
  int i = get_global_id(0);
  out[i] = whole[i + 32] + part[i];
}
