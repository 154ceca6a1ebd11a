// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum lives in the result.
kernel void multiply(global float* a, global float* x, global float* y, int columns) {
  int i = get_global_id(0);
  if (i < get_global_size(0)) {
    y[i] = 0;
    for (int j = 0; j < columns; j++)
      y[i] += a[i * columns + j] * x[j];
  }
}
