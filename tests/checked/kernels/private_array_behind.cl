// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64]
kernel void faulty(global int* out) {
  int i = get_global_id(0), t[8];
  for (int k = 0; k < 8; ++k)
    t[k] = k * i;
  out[i] = t[i & 15]; // FAULT
}

kernel void fixed(global int* out) {
  int i = get_global_id(0), t[8];
  for (int k = 0; k < 8; ++k)
    t[k] = k * i;
  out[i] = t[i & 7];
}
