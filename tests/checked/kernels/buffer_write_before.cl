// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: short[64]
kernel void faulty(global short* out) {
  int i = get_global_id(0);
  out[i - 3] = 1; // FAULT
}

kernel void fixed(global short* out) {
  int i = get_global_id(0);
  if (i >= 3)
    out[i - 3] = 1;
}
