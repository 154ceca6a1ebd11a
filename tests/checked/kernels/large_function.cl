// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// options: -cl-std=CL1.2
// says: write of 4 bytes, just behind 'state' \(32 bytes\)[\s\S]*work-item \(37, 0, 0\)
// args: int[64]
// Large functions that a kernel calls often stay calls (docs/transformations/checks.md).
#define STEP(i) x += x << ((i) % 7 + 1); x ^= table[x % 16] + (i); x = rotate(x, (uint)((i) % 31)); state[(i) % 8] += x;
#define STEPS(i) STEP(i) STEP((i) + 1) STEP((i) + 2) STEP((i) + 3) STEP((i) + 4) STEP((i) + 5) STEP((i) + 6) STEP((i) + 7)
void stir(uint* state, int at) {
  const uint table[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  uint x = state[0];
  STEPS(0) STEPS(8) STEPS(16) STEPS(24) STEPS(32)
  state[at] = x; // FAULT
}

#define KERNEL(name, last) \
  kernel void name(global uint* out) { \
    uint state[8] = {1, 2, 3, 4, 5, 6, 7, get_global_id(0)}; \
    for (int i = 0; i < 200; i += 100 + (get_global_id(0) > 1000)) { \
      stir(state, 0); stir(state, 1); stir(state, 2); stir(state, 3); stir(state, 4); stir(state, 5); stir(state, 6); stir(state, 7); \
      stir(state, 0); stir(state, 1); stir(state, 2); stir(state, 3); stir(state, 4); stir(state, 5); stir(state, 6); stir(state, last); \
    } \
    out[get_global_id(0)] = state[3]; \
  }
KERNEL(faulty, get_global_id(0) == 37 ? 8 : 7)
KERNEL(fixed, 7)
