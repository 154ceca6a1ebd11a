// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last part may be shorter.
kernel void sums(global const float* in, global float* out, int n) {
  int i = get_global_id(0), begin = i * n, end = min(begin + n, (int)get_global_size(0) * n);
  float sum = 0;
  for (int k = begin; k < end; ++k)
    sum += in[k];
  out[i] = sum;
}
