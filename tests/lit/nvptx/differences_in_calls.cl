// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check

// ptxas takes `wanted - done` for `done - wanted` when it merges it with the comparison and the function's argument turns
// out to be a constant. In a kernel it knows constants before.
__attribute__((noinline)) uint least(uint length, uint done, uint wanted) { return min(length, wanted - done); }
// CHECK: .func (.param .b32 func_retval0) least(
// CHECK-NOT: sub.s32
// CHECK: mad.lo.s32 [[LEFT:%r[0-9]+]], %r{{[0-9]+}}, -1, %r{{[0-9]+}};
// CHECK-NOT: sub.s32
// CHECK: min.u32 %r{{[0-9]+}}, {{.*}}[[LEFT]]
// CHECK: ret;
// CHECK: .visible .entry of_kernel(
// CHECK: sub.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}};
// CHECK: ret;
kernel void of_kernel(global uint* a) { a[0] = min(a[0], a[1] - a[2]); }
kernel void two(global uint* a) { a[0] = least(a[0], a[1], 2); }
kernel void five(global uint* a) { a[0] = least(a[0], a[1], 5); }
