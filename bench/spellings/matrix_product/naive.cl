// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An element a work-item, columns along dimension 0.
kernel void multiply(global const float* a, global const float* b, global float* c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
