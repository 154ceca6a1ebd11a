// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The size is an argument, and coordinates are clamped to the picture.
kernel void convolve(global const float* in, global float* out, constant float* weights, int w, int h, int r) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int j = -r; j <= r; j++)
    for (int i = -r; i <= r; i++) {
      int xx = clamp(x + i, 0, w - 1), yy = clamp(y + j, 0, h - 1);
      sum += in[yy * w + xx] * weights[(j + r) * (2 * r + 1) + i + r];
    }
  out[y * w + x] = sum;
}
