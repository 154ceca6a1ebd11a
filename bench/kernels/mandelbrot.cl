// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void mandelbrot(global int* out, int width, int height, int limit) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  float cr = -2.2f + 3.2f * x / width;
  float ci = -1.2f + 2.4f * y / height;
  float zr = 0.0f, zi = 0.0f;
  int n = 0;
  while (n < limit && zr * zr + zi * zi < 4.0f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = t;
    n++;
  }
  out[y * width + x] = n;
}
