// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compressed rows, a group of 32 a row.
kernel void multiply(global const int* starts, global const int* columns, global const float* values,
                     global const float* x, global float* y, local float* sums) {
  int row = get_group_id(0), l = get_local_id(0);
  sums[l] = 0;
  for (int k = starts[row] + l; k < starts[row + 1]; k += get_local_size(0))
    sums[l] += values[k] * x[columns[k]];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s)
      sums[l] += sums[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    y[row] = sums[0];
}
