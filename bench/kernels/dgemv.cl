// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y = A x, A by columns.
kernel void dgemv(global double* y, global const double* a, global const double* x, int rows, int cols) {
  int row = get_global_id(0);
  if (row >= rows)
    return;
  double sum = 0.0;
  for (int j = 0; j < cols; j++)
    sum += a[(size_t)j * rows + row] * x[j];
  y[row] = sum;
}
