// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// args: int[64]
kernel void faulty(global int* out) {
  local int t[16];
  int l = get_local_id(0);
  t[l] = l; // ALSO
  out[get_global_id(0)] = t[l ^ 1]; // FAULT
}

kernel void fixed(global int* out) {
  local int t[16];
  int l = get_local_id(0);
  t[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = t[l ^ 1];
}
