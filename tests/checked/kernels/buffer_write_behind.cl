// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64]
kernel void faulty(global int* out) {
  size_t i = get_global_id(0);
  out[i + get_local_size(0)] = 1; // FAULT
}

kernel void fixed(global int* out) {
  size_t i = get_global_id(0);
  out[(i + get_local_size(0)) % 64] = 1;
}
