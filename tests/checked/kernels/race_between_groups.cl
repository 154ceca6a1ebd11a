// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// args: int[64]=i int[64]
kernel void faulty(global int* data, global int* out) {
  int i = get_global_id(0);
  data[i] = 2 * i; // ALSO
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = data[63 - i]; // FAULT
}

kernel void fixed(global int* data, global int* out) {
  int i = get_global_id(0), l = get_local_id(0);
  data[i] = 2 * i;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = data[i - l + 15 - l];
}
