// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four pixels a work-item as a vector, away from the edges.
kernel void convolve(global const float* in, global float* out, constant float* weights, int w, int h, int r) {
  int x = 4 * get_global_id(0), y = get_global_id(1);
  float4 sum = 0;
  for (int j = -r; j <= r; j++) {
    global const float* row = in + clamp(y + j, 0, h - 1) * w;
    for (int i = -r; i <= r; i++) {
      int first = x + i;
      float4 p = first >= 0 && first + 3 < w
                     ? vload4(0, row + first)
                     : (float4)(row[clamp(first, 0, w - 1)], row[clamp(first + 1, 0, w - 1)],
                                row[clamp(first + 2, 0, w - 1)], row[clamp(first + 3, 0, w - 1)]);
      sum += p * weights[(j + r) * (2 * r + 1) + i + r];
    }
  }
  vstore4(sum, 0, out + y * w + x);
}
