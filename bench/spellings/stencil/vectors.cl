// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four pixels a work-item by vload4 and vstore4; single ones at the right edge.
kernel void filter(global const float* in, global float* out, int w, int h, float a, float b, float c) {
  const int x = get_global_id(0) * 4 + 1, y = get_global_id(1) + 1;
  if (y >= h - 1)
    return;
  global const float* p = in + y * w + x;
  if (x + 4 < w) {
    float4 sum = a * vload4(0, p) + b * (vload4(0, p - w) + vload4(0, p + w) + vload4(0, p - 1) + vload4(0, p + 1)) +
                 c * (vload4(0, p - w - 1) + vload4(0, p - w + 1) + vload4(0, p + w - 1) + vload4(0, p + w + 1));
    vstore4(sum, 0, out + y * w + x);
  } else {
    for (int i = 0; x + i < w - 1; ++i, ++p)
      out[y * w + x + i] =
          a * p[0] + b * (p[-w] + p[w] + p[-1] + p[1]) + c * (p[-w - 1] + p[-w + 1] + p[w - 1] + p[w + 1]);
  }
}
