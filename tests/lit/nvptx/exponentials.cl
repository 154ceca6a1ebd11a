// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check

// Powers are made by the GPU's instruction, without a branch for denormals.
// CHECK: .visible .entry powers(
// CHECK-NOT: bra
// CHECK-COUNT-5: ex2.approx.ftz.f32
// CHECK-NOT: ex2
// CHECK: ret;
kernel void powers(global float* a, global float3* b) {
  a[0] = exp(a[0]);
  a[1] = exp2(a[1]);
  b[0] = exp10(b[0]);
}

// Functions of the library that use them stay as they are.
// CHECK: .visible .entry hyperbolic(
// CHECK-NOT: ex2.approx
// CHECK: ret;
kernel void hyperbolic(global float* a) { a[0] = tanh(a[0]); }
