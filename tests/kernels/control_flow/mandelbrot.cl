// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void mandelbrot(global int* out, int limit) {
  const float cx = get_global_id(0) * 0.046875f - 2.25f, cy = get_global_id(1) * 0.078125f - 1.25f;
  float x = 0, y = 0;
  int k = 0;
  while (k < limit && x * x + y * y <= 4) {
    const float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++k;
  }
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = k;
}
