// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: float[16]=i float[64]
kernel void faulty(constant float* table, global float* out) {
  int i = get_global_id(0);
  out[i] = table[i]; // FAULT
}

kernel void fixed(constant float* table, global float* out) {
  int i = get_global_id(0);
  out[i] = table[i & 15];
}
