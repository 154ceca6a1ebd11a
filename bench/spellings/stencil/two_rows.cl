// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two pixels a work-item, one below the other.
kernel void filter(global const float* in, global float* out, int w, int h, float a, float b, float c) {
  int x = get_global_id(0);
  for (int r = 0; r < 2; ++r) {
    int y = get_global_id(1) * 2 + r;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
      global const float* p = in + y * w + x;
      out[y * w + x] = a * p[0] + b * (p[-w] + p[w] + p[-1] + p[1]) + c * (p[-w - 1] + p[-w + 1] + p[w - 1] + p[w + 1]);
    }
  }
}
