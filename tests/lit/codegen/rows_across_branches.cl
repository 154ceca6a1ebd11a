// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %report %s --cpu x86-64-v4 | %check
// What both sides of a branch load is loaded before it, and rows that go together share it with what they load behind it.

// CHECK: kernel jacobi: 16 work-items at once
// CHECK-NEXT: rows at once: 2
kernel void jacobi(global float* out, global const float* in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  int i = y * width + x;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
  else
    out[i] = in[i];
}
