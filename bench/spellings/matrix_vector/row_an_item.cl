// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row a work-item: neighbours read a row apart.
kernel void multiply(global const float* a, global const float* x, global float* y, int columns) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < columns; k++)
    sum += a[i * columns + k] * x[k];
  y[i] = sum;
}
