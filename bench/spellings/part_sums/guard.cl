// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each element's index is compared with the data's end.
kernel void sums(global const float* in, global float* out, int n) {
  int i = get_global_id(0), all = get_global_size(0) * n;
  float sum = 0;
  for (int j = 0; j < n; ++j) {
    int k = i * n + j;
    if (k < all)
      sum += in[k];
  }
  out[i] = sum;
}
