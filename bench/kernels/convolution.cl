// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define RADIUS 2

kernel void convolve(global float* out, global const float* in, constant float* filter, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  float sum = 0.0f;
  for (int dy = -RADIUS; dy <= RADIUS; dy++)
    for (int dx = -RADIUS; dx <= RADIUS; dx++) {
      int sx = clamp(x + dx, 0, width - 1), sy = clamp(y + dy, 0, height - 1);
      sum += in[sy * width + sx] * filter[(dy + RADIUS) * (2 * RADIUS + 1) + dx + RADIUS];
    }
  out[y * width + x] = sum;
}
