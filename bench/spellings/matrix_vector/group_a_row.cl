// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row a group, whose parts are added by a tree.
kernel void multiply(global const float* a, global const float* x, global float* y, local float* sums, int columns) {
  int row = get_group_id(0), l = get_local_id(0), size = get_local_size(0);
  float sum = 0;
  for (int k = l; k < columns; k += size)
    sum += a[row * columns + k] * x[k];
  sums[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = size / 2; s > 0; s /= 2) {
    if (l < s)
      sums[l] += sums[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    y[row] = sums[0];
}
