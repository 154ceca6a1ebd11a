// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix lies by columns; pieces of x come through local memory.
kernel void multiply(global const float* a, global const float* x, global float* y, local float* piece, int columns) {
  int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0), rows = get_global_size(0);
  float sum = 0;
  for (int t = 0; t < columns; t += size) {
    piece[l] = x[t + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < size; k++)
      sum += a[(t + k) * rows + i] * piece[k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  y[i] = sum;
}
