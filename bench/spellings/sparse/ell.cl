// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As many elements in each row, by columns: neighbours read neighbours.
kernel void multiply(global const int* columns, global const float* values, global const float* x, global float* y,
                     int rows, int most) {
  int row = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < most; k++)
    sum += values[k * rows + row] * x[columns[k * rows + row]];
  y[row] = sum;
}
