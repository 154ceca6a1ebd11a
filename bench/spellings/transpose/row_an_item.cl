// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row a work-item.
kernel void transpose(global const float* in, global float* out, int w, int h) {
  int y = get_global_id(0);
  for (int x = 0; x < w; ++x)
    out[x * h + y] = in[y * w + x];
}
