// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of 1 x 256 work-items, columns along dimension 1, straight from memory.
kernel void filter(global const float* in, global float* out, int w, int h, float a, float b, float c) {
  size_t y = get_global_id(0), x = get_global_id(1);
  if (x >= 1 && y >= 1 && x + 1 < w && y + 1 < h) {
    size_t i = y * w + x;
    out[i] = a * in[i] + b * (in[i - w] + in[i + w] + in[i - 1] + in[i + 1]) +
             c * (in[i - w - 1] + in[i - w + 1] + in[i + w - 1] + in[i + w + 1]);
  }
}
