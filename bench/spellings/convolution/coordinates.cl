// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coordinates are vectors.
kernel void convolve(global const float* in, global float* out, constant float* weights, int w, int h, int r) {
  const int2 p = (int2)(get_global_id(0), get_global_id(1)), last = (int2)(w, h) - 1;
  float sum = 0;
  int k = 0;
  for (int j = -r; j <= r; j++)
    for (int i = -r; i <= r; i++) {
      const int2 q = clamp(p + (int2)(i, j), (int2)(0), last);
      sum += in[q.y * w + q.x] * weights[k++];
    }
  out[p.y * w + p.x] = sum;
}
