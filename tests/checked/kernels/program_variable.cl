// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// options: -cl-std=CL3.0
// says: read of 4 bytes, just behind 'table'
// args: int[64]
global int table[64];

kernel void faulty(global int* out) {
  int i = get_global_id(0);
  out[i] = table[i + 1]; // FAULT
}

kernel void fixed(global int* out) {
  int i = get_global_id(0);
  out[i] = table[i];
}
