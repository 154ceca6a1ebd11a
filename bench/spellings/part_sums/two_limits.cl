// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part's end and the data's, asked for each element.
kernel void sums(global const float* in, global float* out, int n) {
  int i = get_global_id(0), begin = i * n, all = get_global_size(0) * n;
  float sum = 0;
  for (int k = begin; k < begin + n && k < all; ++k)
    sum += in[k];
  out[i] = sum;
}
