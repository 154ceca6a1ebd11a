// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64]
int last(const int* t, int n) {
  return t[n - 1]; // FAULT
}
kernel void faulty(global int* out) {
  int i = get_global_id(0), t[4] = {1, 2, 3, 4};
  out[i] = last(t, 5 + (i & 3));
}

kernel void fixed(global int* out) {
  int i = get_global_id(0), t[4] = {1, 2, 3, 4};
  out[i] = last(t, 1 + (i & 3));
}
