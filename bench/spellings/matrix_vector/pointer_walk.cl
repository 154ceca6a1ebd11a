// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pointer walks along the row.
kernel void multiply(global const float* a, global const float* x, global float* y, uint columns) {
  global const float* row = a + get_global_id(0) * columns;
  float sum = 0;
  for (uint k = 0; k < columns; ++k)
    sum += *row++ * x[k];
  y[get_global_id(0)] = sum;
}
