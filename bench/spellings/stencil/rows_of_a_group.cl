// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of 1 x 256 work-items, rows along dimension 0; each works down eight rows of a tile that it has loaded.
#define ROWS 8
kernel void filter(global const float* in, global float* out, local float* tile, int w, int h, float a, float b,
                   float c) {
  const int columns = get_local_size(1), width = columns + 2, l = get_local_id(1);
  const int x = get_group_id(1) * columns + l, y0 = get_group_id(0) * ROWS;
  for (int r = 0; r < ROWS + 2; r++) {
    const int y = clamp(y0 + r - 1, 0, h - 1);
    tile[r * width + l + 1] = in[y * w + x];
    if (l == 0)
      tile[r * width] = in[y * w + max(x - 1, 0)];
    if (l == columns - 1)
      tile[r * width + width - 1] = in[y * w + min(x + 1, w - 1)];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r = 1; r <= ROWS; r++) {
    const int at = r * width + l + 1, y = y0 + r - 1;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
      out[y * w + x] =
          a * tile[at] + b * (tile[at - width] + tile[at + width] + tile[at - 1] + tile[at + 1]) +
          c * (tile[at - width - 1] + tile[at - width + 1] + tile[at + width - 1] + tile[at + width + 1]);
  }
}
