// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --emit portable --options "-cl-std=CL1.2" -o %t.ll %s
// RUN: %opt --passes=check-memory %t.ll | FileCheck --check-prefixes=BOTH,MEMORY %s
// RUN: %opt --passes=check-values %t.ll | FileCheck --check-prefixes=BOTH,VALUES %s

// Functions that only compute a value stay calls, for LLVM to inline when they are simplified. One that divides by a
// variable has something to check then, and one that reads memory always has.
// BOTH-LABEL: define {{.*}}spir_kernel void @k(
// BOTH-NOT: @at(
// BOTH: call spir_func i32 @turn(
// BOTH-NOT: @at(
// MEMORY: call spir_func i32 @share(
// VALUES-NOT: @share(
// BOTH: ret void
uint turn(uint a, uint by) {
  if (by == 1) return a << 8 | a >> 24;
  if (by == 2) return a << 16 | a >> 16;
  return a / 3;
}
uint share(uint a, uint b) { return a / b; }
uint at(global const uint* in, uint i) { return in[i]; }
kernel void k(global const uint* in, global uint* out) {
  uint i = get_global_id(0);
  out[i] = share(turn(at(in, i), i), i);
}
