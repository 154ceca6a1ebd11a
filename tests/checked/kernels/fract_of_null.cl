// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=16 local=16
// args: null int[64]
kernel void faulty(global float* whole, global int* out) {
  out[get_global_id(0)] = (int)fract(2.5f, whole + get_global_id(0)); // FAULT
}

kernel void fixed(global float* whole, global int* out) {
  float part;
  out[get_global_id(0)] = (int)fract(2.5f, &part);
}
