// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check

// Roots and quotients are the GPU's instructions, without the calls that exact ones take.
// CHECK: .visible .entry geometry(
// CHECK-NOT: {{(sqrt|rcp|div)\.rn}}
// CHECK: sqrt.approx.f32
// CHECK-NOT: {{(sqrt|rcp|div)\.rn}}
// CHECK: rsqrt.approx.f32
// CHECK-NOT: {{(sqrt|rcp|div)\.rn}}
// CHECK: ret;
kernel void geometry(global float* a, global float3* b) {
  a[0] = length(b[0]);
  a[1] = distance(b[1], b[2]);
  b[3] = normalize(b[3]);
  a[2] = fast_length(b[4]);
  a[3] = fast_distance(b[5], b[6]);
  b[7] = fast_normalize(b[7]);
}
