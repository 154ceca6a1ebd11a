// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compressed rows, a row a work-item; the sum lives in the result.
kernel void multiply(global const int* starts, global const int* columns, global const float* values,
                     global const float* x, global float* y, int rows) {
  const size_t row = get_global_id(0);
  y[row] = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k)
    y[row] += values[k] * x[columns[k]];
}
