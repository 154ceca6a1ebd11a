// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters and sizes without a sign; weights are in global memory and counted along.
kernel void convolve(global const float* in, global float* out, global const float* weights, uint w, uint h, uint r) {
  uint x = get_global_id(0), y = get_global_id(1), size = 2 * r + 1;
  float sum = 0;
  uint k = 0;
  for (uint j = 0; j < size; ++j)
    for (uint i = 0; i < size; ++i) {
      int xx = min(max((int)(x + i) - (int)r, 0), (int)w - 1), yy = min(max((int)(y + j) - (int)r, 0), (int)h - 1);
      sum += in[yy * w + xx] * weights[k++];
    }
  out[y * w + x] = sum;
}
