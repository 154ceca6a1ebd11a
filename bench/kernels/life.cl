// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void life(global uchar* out, global const uchar* in) {
  int x = get_global_id(0), y = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1);
  int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
  int up = (y == 0 ? height - 1 : y - 1) * width, down = (y == height - 1 ? 0 : y + 1) * width;
  int row = y * width;
  uchar neighbours = in[up + left] + in[up + x] + in[up + right] + in[row + left] + in[row + right] +
                     in[down + left] + in[down + x] + in[down + right];
  out[row + x] = neighbours == 3 || (neighbours == 2 && in[row + x]);
}
