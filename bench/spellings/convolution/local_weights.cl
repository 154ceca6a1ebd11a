// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weights come to local memory first.
kernel void convolve(global const float* in, global float* out, global const float* weights, local float* own, int w,
                     int h, int r) {
  int x = get_global_id(0), y = get_global_id(1), l = get_local_id(1) * get_local_size(0) + get_local_id(0);
  int size = 2 * r + 1;
  if (l < size * size)
    own[l] = weights[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int j = -r; j <= r; j++)
    for (int i = -r; i <= r; i++)
      sum += in[clamp(y + j, 0, h - 1) * w + clamp(x + i, 0, w - 1)] * own[(j + r) * size + i + r];
  out[y * w + x] = sum;
}
