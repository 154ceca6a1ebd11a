// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu x86-64-v4 --emit llvm | %check
// Loops are strength-reduced, but in functions of so many that it would take most of the build.

#define STEP(n) tile[l ^ n] += a[l * 3 + n]; barrier(CLK_LOCAL_MEM_FENCE);
#define STEPS(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5) STEP(n + 6) STEP(n + 7)
#define MANY(n) STEPS(n) STEPS(n + 8) STEPS(n + 16) STEPS(n + 24) STEPS(n + 32) STEPS(n + 40)

// CHECK-LABEL: define internal void @few.cl(
// CHECK: %lsr.iv
// CHECK-LABEL: define internal void @many.cl(
// CHECK-NOT: %lsr.iv
// CHECK: ret void
kernel void few(global float* a, local float* tile) {
  size_t l = get_local_id(0);
  STEPS(0)
  a[l] = tile[l];
}

kernel void many(global float* a, local float* tile) {
  size_t l = get_local_id(0);
  MANY(0) MANY(48) MANY(96)
  a[l] = tile[l];
}
