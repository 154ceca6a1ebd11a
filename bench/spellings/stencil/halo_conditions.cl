// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile with its margin; the work-items at the group's edges load what is beyond them.
kernel void filter(global const float* in, global float* out, int w, int h, float a, float b, float c) {
  local float tile[18][18];
  const int gx = get_global_id(0), gy = get_global_id(1);
  const int x = get_local_id(0) + 1, y = get_local_id(1) + 1;
  const int left = max(gx - 1, 0), right = min(gx + 1, w - 1), up = max(gy - 1, 0), down = min(gy + 1, h - 1);
  tile[y][x] = in[gy * w + gx];
  if (x == 1)
    tile[y][0] = in[gy * w + left];
  if (x == 16)
    tile[y][17] = in[gy * w + right];
  if (y == 1) {
    tile[0][x] = in[up * w + gx];
    if (x == 1)
      tile[0][0] = in[up * w + left];
    if (x == 16)
      tile[0][17] = in[up * w + right];
  }
  if (y == 16) {
    tile[17][x] = in[down * w + gx];
    if (x == 1)
      tile[17][0] = in[down * w + left];
    if (x == 16)
      tile[17][17] = in[down * w + right];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (gx > 0 && gy > 0 && gx < w - 1 && gy < h - 1)
    out[gy * w + gx] = a * tile[y][x] + b * (tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1]) +
                       c * (tile[y - 1][x - 1] + tile[y - 1][x + 1] + tile[y + 1][x - 1] + tile[y + 1][x + 1]);
}
