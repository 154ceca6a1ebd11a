// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = A x, A in compressed rows; a work-item a row.
kernel void spmv(global float* y, global const int* row_start, global const int* columns, global const float* values,
                 global const float* x, int rows) {
  int row = get_global_id(0);
  if (row < rows) {
    float sum = 0.0f;
    int end = row_start[row + 1];
    for (int i = row_start[row]; i < end; i++)
      sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}
