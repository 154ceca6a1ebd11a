// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --emit portable --options "-cl-std=CL1.2" -o %t.ll %s
// RUN: %opt --passes=check-memory %t.ll | %check

// A large function that is called often stays a call, with the launch, the group, the work-item's ids, and the offset and
// size of its pointer as further parameters. A small one is inlined, and so is a large one that writes to global memory.
// Calls of the first one pass variables of two sizes. Those of mix() pass variables of one size, which is a constant there.
// CHECK-LABEL: define {{.*}}spir_kernel void @k(
// CHECK-NOT: @add(
// CHECK-NOT: @count(
// CHECK: call spir_func void @stir(ptr {{.*}}%{{.*}}, i32 {{.*}}1, ptr %{{.*}}, i64 %{{.*}}, i64 %{{.*}}, i64 %{{.*}}, i64 %{{.*}}, i64 0, i64 32)
// CHECK-NOT: @add(
// CHECK-NOT: @count(
// CHECK: define internal spir_func void @stir(ptr {{.*}}%state, i32 {{.*}}%at, ptr %[[LAUNCH:.*]], i64 %{{.*}}, i64 %[[X:.*]], i64 %[[Y:.*]], i64 %[[Z:.*]], i64 %[[OFFSET:.*]], i64 %[[SIZE:[^)]*]])
// CHECK: call void @clotho.check.access{{.*}}, ptr %[[LAUNCH]], {{.*}}i64 %[[SIZE]], i64 %[[X]], i64 %[[Y]], i64 %[[Z]],
// CHECK: define internal spir_func void @mix(ptr {{.*}}align 4{{.*}} %state,
// CHECK-NOT: clotho.check.report
// CHECK: call void @clotho.check.access{{.*}} i64 32,
// CHECK: ret void
#define STEP(i) x += x << ((i) % 7 + 1); x ^= x >> 3; x = rotate(x, (uint)((i) % 31)); x ^= state[(i) % 8];
#define STEPS(i) STEP(i) STEP((i) + 1) STEP((i) + 2) STEP((i) + 3) STEP((i) + 4) STEP((i) + 5) STEP((i) + 6) STEP((i) + 7)
#define MANY STEPS(0) STEPS(8) STEPS(16) STEPS(24) STEPS(32) STEPS(40) STEPS(48) STEPS(56)
void stir(uint* state, int at) {
  uint x = state[0];
  MANY
  state[at] = x;
}
void mix(uint* state, int at) {
  uint x = state[0];
  MANY
  state[at] = x;
}
void count(global uint* state, int at) {
  uint x = state[0];
  MANY
  state[at] = x;
}
void add(uint* state, int at) { state[at] += 7; }

#define EIGHT(f, s) f(s, 0); f(s, 1); f(s, 2); f(s, 3); f(s, 4); f(s, 5); f(s, 6); f(s, 7);
kernel void k(global uint* out, int n) {
  uint state[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  EIGHT(add, state)
  EIGHT(stir, state) EIGHT(stir, state) EIGHT(stir, state) EIGHT(stir, state) EIGHT(stir, state) EIGHT(stir, state)
  EIGHT(mix, state) EIGHT(mix, state)
  uint other[9] = {0};
  stir(other, n);
  EIGHT(count, out)
  out[n] = state[n];
}
