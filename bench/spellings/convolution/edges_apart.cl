// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coordinates are clamped only if one is outside.
kernel void convolve(global const float* in, global float* out, constant float* weights, int w, int h, int r) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  if (x >= r && x < w - r && y >= r && y < h - r) {
    for (int j = -r; j <= r; j++)
      for (int i = -r; i <= r; i++)
        sum += in[(y + j) * w + x + i] * weights[(j + r) * (2 * r + 1) + i + r];
  } else {
    for (int j = -r; j <= r; j++)
      for (int i = -r; i <= r; i++)
        sum += in[clamp(y + j, 0, h - 1) * w + clamp(x + i, 0, w - 1)] * weights[(j + r) * (2 * r + 1) + i + r];
  }
  out[y * w + x] = sum;
}
