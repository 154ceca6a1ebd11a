// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// args: int[4]=0 int[64]
kernel void faulty(global int* counts, global int* out) {
  int i = get_global_id(0);
  atomic_inc(&counts[i & 3]); // ALSO
  out[i] = counts[i & 3]; // FAULT
}

kernel void fixed(global int* counts, global int* out) {
  int i = get_global_id(0);
  out[i] = atomic_inc(&counts[i & 3]);
}
