// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --emit=llvm --cpu x86-64-v4 | %check
// What sub-groups at both ends of each row need is part of the loop over rows if it is short, loops written out. Where
// only the last row of all ends early, or what is left is long, it is called.

// CHECK-LABEL: define internal void @blur.cl(
// CHECK-NOT: call void @blur.predicated
// CHECK: llvm.masked.store
// CHECK: ret void
kernel void blur(global float* out, global const float* in, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x == 0 || x >= w - 1 || y == 0 || y >= h - 1)
    return;
  float sum = 0.0f;
  for (int i = -1; i <= 1; i++)
    sum += in[y * w + x + i] / (1.0f + in[y * w + x + 2 * i]);
  out[y * w + x] = sum;
}

// CHECK-LABEL: define internal void @guarded.cl(
// CHECK: call void @guarded.predicated
// CHECK: ret void
kernel void guarded(global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = 2.0f * in[i];
}

// CHECK-LABEL: define internal void @repeats.cl(
// CHECK: call void @repeats.predicated
// CHECK: ret void
kernel void repeats(global float* out, global const float* in, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x == 0 || x >= w - 1)
    return;
  float v = in[y * w + x];
  for (int i = 0; i < h; i++)
    v = v * v + in[y * w + x - 1];
  out[y * w + x] = v;
}
