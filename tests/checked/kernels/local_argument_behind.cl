// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64] local:64 local:64
kernel void faulty(global int* out, local int* a, local int* b) {
  int l = get_local_id(0);
  b[l] = 0;
  a[l + 8] = l; // FAULT
  out[get_global_id(0)] = l;
}

kernel void fixed(global int* out, local int* a, local int* b) {
  int l = get_local_id(0);
  b[l] = 0;
  a[l ^ 8] = l;
  out[get_global_id(0)] = l;
}
