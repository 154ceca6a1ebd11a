// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: int[64]
constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
kernel void faulty(global int* out) {
  int i = get_global_id(0);
  out[i] = primes[i & 15]; // FAULT
}

kernel void fixed(global int* out) {
  int i = get_global_id(0);
  out[i] = primes[i & 7];
}
