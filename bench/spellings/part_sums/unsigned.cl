// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds that may wrap around.
kernel void sums(global const float* in, global float* out, uint n) {
  uint begin = get_global_id(0) * n, end = begin + n;
  float sum = 0;
  for (uint k = begin; k < end; ++k)
    sum += in[k];
  out[begin / n] = sum;
}
