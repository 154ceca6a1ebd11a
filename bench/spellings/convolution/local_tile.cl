// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile with its margin comes to local memory, four parts of it a work-item at most.
kernel void convolve(global const float* in, global float* out, constant float* weights, local float* tile, int w,
                     int h, int r) {
  int lx = get_local_id(0), ly = get_local_id(1), columns = 16 + 2 * r;
  int x0 = get_group_id(0) * 16 - r, y0 = get_group_id(1) * 16 - r;
  for (int j = ly; j < columns; j += 16)
    for (int i = lx; i < columns; i += 16)
      tile[j * columns + i] = in[clamp(y0 + j, 0, h - 1) * w + clamp(x0 + i, 0, w - 1)];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int j = 0; j <= 2 * r; j++)
    for (int i = 0; i <= 2 * r; i++)
      sum += tile[(ly + j) * columns + lx + i] * weights[j * (2 * r + 1) + i];
  out[get_global_id(1) * w + get_global_id(0)] = sum;
}
