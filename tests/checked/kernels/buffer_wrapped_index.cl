// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64]=i int[64]
kernel void faulty(global const int* in, global int* out) {
  uint i = get_global_id(0);
  out[i] = in[i - 1]; // FAULT
}

kernel void fixed(global const int* in, global int* out) {
  uint i = get_global_id(0);
  out[i] = in[max(i, 1u) - 1];
}
