// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix lies by columns: neighbours read neighbours.
kernel void multiply(global const float* a, global const float* x, global float* y, int columns) {
  int i = get_global_id(0), rows = get_global_size(0);
  float sum = 0;
  for (int k = 0; k < columns; k++)
    sum += a[k * rows + i] * x[k];
  y[i] = sum;
}
