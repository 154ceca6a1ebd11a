// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// args: int[64]
kernel void faulty(global int* out) {
  out[0] = get_global_id(0); // FAULT
}

kernel void fixed(global int* out) {
  if (get_global_id(0) == 0)
    out[0] = get_global_id(0);
}
