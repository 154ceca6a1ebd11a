// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: value
// launch: global=64 local=16
// args: int[64]=i int[64]
kernel void faulty(global const int* in, global int* out) {
  int i = get_global_id(0), least = in[i] == 5 ? INT_MIN : 8;
  out[i] = least / (in[i] - 70 < 0 ? -1 : 1); // FAULT
}

kernel void fixed(global const int* in, global int* out) {
  int i = get_global_id(0), least = in[i] == 5 ? -INT_MAX : 8;
  out[i] = least / (in[i] - 70 < 0 ? -1 : 1);
}
