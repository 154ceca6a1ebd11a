// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A work-item goes down a column and keeps three rows in variables.
kernel void filter(global const float* in, global float* out, int w, int h, float a, float b, float c) {
  const int x = get_global_id(0) + 1, y0 = get_global_id(1) * 32;
  if (x >= w - 1)
    return;
  const int first = max(y0, 1), end = min(y0 + 32, h - 1);
  global const float* p = in + (first - 1) * w + x;
  float upLeft = p[-1], up = p[0], upRight = p[1];
  p += w;
  float left = p[-1], middle = p[0], right = p[1];
  for (int y = first; y < end; ++y) {
    p += w;
    float downLeft = p[-1], down = p[0], downRight = p[1];
    out[y * w + x] = a * middle + b * (up + down + left + right) + c * (upLeft + upRight + downLeft + downRight);
    upLeft = left;
    up = middle;
    upRight = right;
    left = downLeft;
    middle = down;
    right = downRight;
  }
}
