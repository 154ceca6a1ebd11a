// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void sobel(global uchar* out, global const uchar* in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) {
    if (x < width && y < height)
      out[y * width + x] = 0;
    return;
  }
  global const uchar* p = in + y * width + x;
  int gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[-1 + width];
  int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
  out[y * width + x] = convert_uchar_sat(abs(gx) + abs(gy));
}
