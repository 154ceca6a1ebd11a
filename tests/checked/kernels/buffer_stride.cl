// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64]
kernel void faulty(global int* out) {
  out[2 * get_global_id(0)] = 1; // FAULT
}

kernel void fixed(global int* out) {
  if (get_global_id(0) < 32)
    out[2 * get_global_id(0)] = 1;
}
