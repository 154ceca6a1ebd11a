// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[256] int[64]
kernel void faulty(global int* out, global const int* in) {
  size_t i = get_global_id(0);
  __builtin_memcpy(out + 4 * i, in + i, 16); // FAULT
}

kernel void fixed(global int* out, global const int* in) {
  size_t i = get_global_id(0);
  __builtin_memcpy(out + 4 * i, in + i / 4 * 4, 16);
}
