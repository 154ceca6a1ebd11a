// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check

// The driver's compiler keeps this array in registers, because of its alignment.
// CHECK: .visible .entry choose(
// CHECK: .local .align 16 .b8 {{.*}}[16]
kernel void choose(global float* out, global const float* in) {
  float v[4];
  for (int i = 0; i < 4; ++i)
    v[i] = in[i];
  int most = 0;
  for (int i = 1; i < 4; ++i)
    if (v[i] > v[most]) most = i;
  v[most] = 0;
  for (int i = 0; i < 4; ++i)
    out[i] = v[i] + v[3 - most];
}

// CHECK: .visible .entry small(
// CHECK: .local .align 8 .b8 {{.*}}[8]
kernel void small(global short* out, int i, int j) {
  short v[4] = {1, 2, 3, 4};
  v[i] = 7;
  out[0] = v[j];
}
