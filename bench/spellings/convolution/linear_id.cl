// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One dimension: coordinates are the quotient and the remainder of the id.
kernel void convolve(global const float* in, global float* out, constant float* weights, int w, int h, int r) {
  int id = get_global_id(0), x = id % w, y = id / w;
  float sum = 0;
  for (int j = -r; j <= r; j++)
    for (int i = -r; i <= r; i++)
      sum += in[clamp(y + j, 0, h - 1) * w + clamp(x + i, 0, w - 1)] * weights[(j + r) * (2 * r + 1) + i + r];
  out[id] = sum;
}
