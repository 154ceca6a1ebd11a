// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of two dimensions: 16 work-items share a row, 16 rows a group.
kernel void multiply(global const float* a, global const float* x, global float* y, int columns) {
  local float sums[16][16];
  int lx = get_local_id(0), ly = get_local_id(1), row = get_global_id(1);
  float sum = 0;
  for (int k = lx; k < columns; k += 16)
    sum += a[row * columns + k] * x[k];
  sums[ly][lx] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lx == 0) {
    sum = 0;
    for (int k = 0; k < 16; ++k)
      sum += sums[ly][k];
    y[row] = sum;
  }
}
