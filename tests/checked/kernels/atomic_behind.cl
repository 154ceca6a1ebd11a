// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64]=i int[16]
kernel void faulty(global const int* in, global int* counts) {
  int i = get_global_id(0);
  atomic_inc(&counts[in[i]]); // FAULT
}

kernel void fixed(global const int* in, global int* counts) {
  int i = get_global_id(0);
  atomic_inc(&counts[in[i] & 15]);
}
