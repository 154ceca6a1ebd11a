// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row a work-item; pieces of x come through local memory.
kernel void multiply(global const float* a, global const float* x, global float* y, int columns) {
  local float piece[64];
  int i = get_global_id(0), l = get_local_id(0);
  float sum = 0;
  for (int t = 0; t < columns; t += 64) {
    piece[l] = x[t + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 64; k++)
      sum += a[i * columns + t + k] * piece[k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  y[i] = sum;
}
