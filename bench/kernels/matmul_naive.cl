// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void matmul(global float* c, global const float* a, global const float* b, int n) {
  int col = get_global_id(0);
  int row = get_global_id(1);
  float sum = 0.0f;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
