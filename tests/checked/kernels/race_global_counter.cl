// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// args: int[1]=0
kernel void faulty(global int* count) {
  *count += 1; // FAULT
}

kernel void fixed(global int* count) {
  atomic_inc(count);
}
