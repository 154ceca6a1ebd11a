// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compressed rows, 32 work-items a row, whose sums a tree adds.
kernel void multiply(global const int* starts, global const int* columns, global const float* values,
                     global const float* x, global float* y, int rows, local float* sums) {
  int l = get_local_id(0), lane = l & 31, row = get_global_id(0) / 32;
  float sum = 0;
  for (int k = starts[row] + lane; k < starts[row + 1]; k += 32)
    sum += values[k] * x[columns[k]];
  sums[l] = sum;
  for (int s = 16; s > 0; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < s)
      sums[l] += sums[l + s];
  }
  if (lane == 0)
    y[row] = sums[l];
}
