// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The median of 5 by 5: an insertion sort of a private array.
kernel void median25(global float* out, global const float* in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  float v[25];
  int n = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      float value = in[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)];
      int at = n++;
      while (at > 0 && v[at - 1] > value) {
        v[at] = v[at - 1];
        at--;
      }
      v[at] = value;
    }
  out[y * width + x] = v[12];
}
