// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --emit=lowered | %check
// Loops that go along private arrays are unrolled, though they are long, so that nothing of the arrays is left: here
// tables of directions, and what is kept for each.
// CHECK-LABEL: define internal void @move.cl(
// CHECK-NOT: alloca
// CHECK-LABEL: }
kernel void move(global const float* in, global float* out, int w, int h) {
  const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  int x = get_global_id(0), y = get_global_id(1), n = w * h;
  float kept[9], sum = 0;
  for (int i = 0; i < 9; i++) {
    int from = (x - dx[i] + w) % w, row = (y - dy[i] + h) % h;
    kept[i] = in[i * n + row * w + from];
    sum += kept[i];
  }
  for (int i = 0; i < 9; i++)
    out[i * n + y * w + x] = 0.9f * kept[i] + 0.01f * sum;
}
