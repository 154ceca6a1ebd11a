// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An element a work-item, rows along dimension 0, as those write it who count i before j.
kernel void multiply(global const float* a, global const float* b, global float* c, int n) {
  int i = get_global_id(0), j = get_global_id(1);
  if (i < n && j < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
      sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
  }
}
