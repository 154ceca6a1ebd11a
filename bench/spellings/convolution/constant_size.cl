// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The size is a constant of the source, and coordinates are clamped to the picture.
#define R 3
kernel void convolve(global const float* in, global float* out, constant float* weights, int w, int h, int r) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int j = -R; j <= R; j++)
    for (int i = -R; i <= R; i++) {
      int xx = clamp(x + i, 0, w - 1), yy = clamp(y + j, 0, h - 1);
      sum += in[yy * w + xx] * weights[(j + R) * (2 * R + 1) + i + R];
    }
  out[y * w + x] = sum;
}
