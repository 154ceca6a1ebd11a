// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A share of all elements, from their number and that of the work-items.
kernel void sums(global const float* in, global float* out, int n) {
  int i = get_global_id(0), items = get_global_size(0), share = n * items / items;
  float sum = 0;
  for (int k = i * share; k < i * share + share; ++k)
    sum += in[k];
  out[i] = sum;
}
