// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each coordinate is brought back by conditions.
kernel void convolve(global const float* in, global float* out, global const float* weights, int w, int h, int r) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int j = 0; j < 2 * r + 1; j++) {
    int yy = y + j - r;
    if (yy < 0)
      yy = 0;
    if (yy >= h)
      yy = h - 1;
    for (int i = 0; i < 2 * r + 1; i++) {
      int xx = x + i - r;
      if (xx < 0)
        xx = 0;
      if (xx >= w)
        xx = w - 1;
      sum += in[yy * w + xx] * weights[j * (2 * r + 1) + i];
    }
  }
  out[y * w + x] = sum;
}
