// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64] int:4
kernel void faulty(global int* out, int n) {
  int i = get_global_id(0), t[4], sum = 0;
  for (int k = 0; k <= n; ++k)
    t[k] = k * i; // FAULT
  for (int k = 0; k < n; ++k)
    sum += t[k];
  out[i] = sum;
}

kernel void fixed(global int* out, int n) {
  int i = get_global_id(0), t[4], sum = 0;
  for (int k = 0; k < n; ++k)
    t[k] = k * i;
  for (int k = 0; k < n; ++k)
    sum += t[k];
  out[i] = sum;
}
