// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64]
kernel void faulty(global int* out) {
  int i = get_global_id(0), value;
  if (i & 1)
    value = i;
  out[i] = value; // FAULT
}

kernel void fixed(global int* out) {
  int i = get_global_id(0), value = 0;
  if (i & 1)
    value = i;
  out[i] = value;
}
