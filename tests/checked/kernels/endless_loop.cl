// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: loop
// launch: global=64 local=16
// args: int[64]=i int[64]
kernel void faulty(global const int* in, global int* out) {
  int i = get_global_id(0), x = in[i];
  while (x != 1) // FAULT
    x = x % 2 ? 3 * x - 1 : x / 2;
  out[i] = x;
}

kernel void fixed(global const int* in, global int* out) {
  int i = get_global_id(0), x = in[i] + 1;
  while (x != 1)
    x = x % 2 ? 3 * x + 1 : x / 2;
  out[i] = x;
}
