// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices of 32 rows, each of which has as many elements in each row, by columns.
kernel void multiply(global const int* starts, global const int* columns, global const float* values,
                     global const float* x, global float* y) {
  int row = get_global_id(0), slice = row / 32, lane = row % 32;
  float sum = 0;
  for (int k = starts[slice] + lane; k < starts[slice + 1]; k += 32)
    sum += values[k] * x[columns[k]];
  y[row] = sum;
}
