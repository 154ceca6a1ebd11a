// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The neighbourhood by loops, with weights from constant memory.
kernel void filter(global const float* in, global float* out, constant float* weights, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
    return;
  float sum = 0.0f;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      sum += weights[(dy + 1) * 3 + dx + 1] * in[(y + dy) * w + x + dx];
  out[y * w + x] = sum;
}
