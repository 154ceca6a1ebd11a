// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An element by the number of its part and its place there.
kernel void sums(global const float* in, global float* out, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += in[i * n + k];
  out[i] = sum;
}
