// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows along dimension 0.
kernel void filter(global const float* in, global float* out, int w, int h, float a, float b, float c) {
  int y = get_global_id(0), x = get_global_id(1);
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
    out[y * w + x] = a * in[y * w + x] +
                     b * (in[(y - 1) * w + x] + in[(y + 1) * w + x] + in[y * w + x - 1] + in[y * w + x + 1]) +
                     c * (in[(y - 1) * w + x - 1] + in[(y - 1) * w + x + 1] + in[(y + 1) * w + x - 1] +
                          in[(y + 1) * w + x + 1]);
}
