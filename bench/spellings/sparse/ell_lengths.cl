// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ELLPACK format with each row's length.
kernel void multiply(global const int* columns, global const float* values, global const int* lengths,
                     global const float* x, global float* y, int rows) {
  const int row = get_global_id(0), length = lengths[row];
  float sum = 0.0f;
  for (int k = 0; k < length; ++k) {
    const int at = row + k * rows;
    sum += values[at] * x[columns[at]];
  }
  y[row] = sum;
}
