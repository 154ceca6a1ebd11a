// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --emit portable --options "-cl-std=CL1.2" -o %t.ll %s
// RUN: echo '@table = addrspace(2) constant ptr @stir' >> %t.ll
// RUN: %opt --passes=check-memory %t.ll | %check

// A function whose address is taken gets no further parameters, however large it is: a call by its address passes none.
// CHECK: define internal spir_func void @stir(ptr {{[^,]*}}%state, i32 {{[^,]*}}%at) #
#define STEP(i) x += x << ((i) % 7 + 1); x ^= x >> 3; x = rotate(x, (uint)((i) % 31)); x ^= state[(i) % 8];
#define STEPS(i) STEP(i) STEP((i) + 1) STEP((i) + 2) STEP((i) + 3) STEP((i) + 4) STEP((i) + 5) STEP((i) + 6) STEP((i) + 7)
#define MANY STEPS(0) STEPS(8) STEPS(16) STEPS(24) STEPS(32) STEPS(40) STEPS(48) STEPS(56)
void stir(uint* state, int at) {
  uint x = state[0];
  MANY MANY
  state[at] = x;
}

kernel void k(global uint* out, int n) {
  uint state[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  stir(state, 0); stir(state, 1); stir(state, 2); stir(state, 3); stir(state, 4); stir(state, 5); stir(state, 6); stir(state, 7);
  out[n] = state[n];
}
