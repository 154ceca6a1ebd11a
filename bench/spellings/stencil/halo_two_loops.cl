// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile with its margin, filled by a loop over its rows and one over its columns; coordinates are clamped to the picture.
kernel void filter(global const float* in, global float* out, int w, int h, float a, float b, float c) {
  local float tile[18][18];
  const int lx = get_local_id(0), ly = get_local_id(1);
  const int x0 = get_group_id(0) * get_local_size(0) - 1, y0 = get_group_id(1) * get_local_size(1) - 1;
  for (int j = ly; j < 18; j += get_local_size(1))
    for (int i = lx; i < 18; i += get_local_size(0))
      tile[j][i] = in[clamp(y0 + j, 0, h - 1) * w + clamp(x0 + i, 0, w - 1)];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1)
    return;
  out[y * w + x] = a * tile[ly + 1][lx + 1] +
                   b * (tile[ly][lx + 1] + tile[ly + 2][lx + 1] + tile[ly + 1][lx] + tile[ly + 1][lx + 2]) +
                   c * (tile[ly][lx] + tile[ly][lx + 2] + tile[ly + 2][lx] + tile[ly + 2][lx + 2]);
}
