// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the part's first element to the next part's.
kernel void sums(global const float* in, global float* out, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = i * n; k < (i + 1) * n; ++k)
    sum += in[k];
  out[i] = sum;
}
