// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define RADIUS 3

kernel void bilateral(global float* out, global const float* in, int width, int height, float near_factor,
                      float like_factor) {
  int x = get_global_id(0), y = get_global_id(1);
  float centre = in[y * width + x];
  float sum = 0.0f, weights = 0.0f;
  for (int dy = -RADIUS; dy <= RADIUS; dy++)
    for (int dx = -RADIUS; dx <= RADIUS; dx++) {
      int sx = x + dx, sy = y + dy;
      if (sx < 0 || sx >= width || sy < 0 || sy >= height)
        continue;
      float value = in[sy * width + sx];
      float difference = value - centre;
      float weight = exp(-(dx * dx + dy * dy) * near_factor - difference * difference * like_factor);
      sum += weight * value;
      weights += weight;
    }
  out[y * width + x] = sum / weights;
}
