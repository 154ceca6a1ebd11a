// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check
// RUN: %compile --gpu sm_90 --emit asm --options -cl-fp32-correctly-rounded-divide-sqrt %s \
// RUN:   | FileCheck %s --check-prefix=ROUNDED

// CHECK: .visible .entry divides(
// CHECK: div.full.f32
// ROUNDED: .visible .entry divides(
// ROUNDED: div.rn.f32
kernel void divides(global float* a) { a[0] = a[1] / a[2]; }

// CHECK: .visible .entry vectors(
// CHECK-COUNT-2: div.full.f32
kernel void vectors(global float2* a) { a[0] = a[1] / a[2]; }

// CHECK: .visible .entry roots(
// CHECK-NOT: sqrt.rn
// CHECK: rsqrt.approx.f32
// CHECK-NOT: sqrt.rn
// CHECK: ret;
kernel void roots(global float* a) { a[0] = rsqrt(a[1]); }

// CHECK: .visible .entry root(
// CHECK-NOT: sqrt.rn
// CHECK-COUNT-6: sqrt.approx.f32
// CHECK-NOT: sqrt
// CHECK: ret;
// ROUNDED: .visible .entry root(
// ROUNDED-COUNT-4: sqrt.rn.f32
// ROUNDED-COUNT-2: sqrt.approx.f32
kernel void root(global float4* a) {
  a[0] = sqrt(a[0]);
  a[1].xy = (float2)(native_sqrt(a[1].x), half_sqrt(a[1].y));
}

// Roots in builtins stay exact.
// CHECK: .visible .entry hypotenuse(
// CHECK-NOT: sqrt.approx
// CHECK: sqrt.rn
// CHECK-NOT: sqrt.approx
// CHECK: ret;
kernel void hypotenuse(global float* a) { a[0] = hypot(a[1], a[2]); }

// A double is always rounded correctly.
// CHECK: .visible .entry doubles(
// CHECK: div.rn.f64
kernel void doubles(global double* a) { a[0] = a[1] / a[2]; }

// The builtin needs the rounded quotient.
// CHECK: .visible .entry remainders(
// CHECK-NOT: div.full.f32
// CHECK: div.rn.f32
// CHECK-NOT: div.full.f32
// CHECK: ret;
kernel void remainders(global float* a) { a[0] = fmod(a[1], a[2]); }
