// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fewer work-items than rows, each of which takes every so-manieth.
kernel void multiply(global const float* a, global const float* x, global float* y, uint columns, uint rows) {
  for (uint i = get_global_id(0); i < rows; i += get_global_size(0)) {
    global const float* row = a + i * columns;
    float sum = 0;
    for (uint k = 0; k < columns; ++k)
      sum += row[k] * x[k];
    y[i] = sum;
  }
}
