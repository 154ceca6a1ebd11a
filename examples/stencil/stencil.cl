// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step of heat in a plate: each point becomes the mean of its four neighbours. The border stays as it is.
kernel void spread(global float* out, global const float* in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  out[y * width + x] = 0.25f * (in[(y - 1) * width + x] + in[(y + 1) * width + x] + in[y * width + x - 1] + in[y * width + x + 1]);
}
