// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One dimension; coordinates by division.
kernel void filter(global const float* in, global float* out, int w, int h, float a, float b, float c) {
  int i = get_global_id(0);
  int x = i % w, y = i / w;
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
    return;
  out[i] = a * in[i] + b * (in[i - w] + in[i + w] + in[i - 1] + in[i + 1]) +
           c * (in[i - w - 1] + in[i - w + 1] + in[i + w - 1] + in[i + w + 1]);
}
