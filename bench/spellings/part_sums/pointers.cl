// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers instead of indices.
kernel void sums(global const float* in, global float* out, int n) {
  int i = get_global_id(0);
  global const float* p = in + i * n;
  global const float* end = p + n;
  float sum = 0;
  while (p != end)
    sum += *p++;
  out[i] = sum;
}
