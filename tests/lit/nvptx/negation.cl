// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check

// ptxas forgets that the negation of the least number of 16 bits is that number.
// CHECK: .visible .entry negation(
// CHECK-NOT: neg.s16
// CHECK: not.b16 [[X:%rs[0-9]+]], [[Y:%rs[0-9]+]];
// CHECK-NEXT: add.s16 [[X]], [[X]], 1;
// CHECK-NOT: neg.s16
// CHECK: ret;
kernel void negation(global char* a) { a[get_global_id(0)] = mul_hi((char)127, (char)-a[get_global_id(0)]); }

// CHECK: .visible .entry magnitude(
// CHECK-NOT: abs.s16
// CHECK: not.b16 %negated, [[Y:%rs[0-9]+]];
// CHECK-NEXT: add.s16 %negated, %negated, 1;
// CHECK-NEXT: max.s16 %rs{{[0-9]+}}, [[Y]], %negated; }
// CHECK-NOT: abs.s16
// CHECK: ret;
kernel void magnitude(global short* a) { a[get_global_id(0)] = as_short(abs(a[get_global_id(0)])) >> 2; }
