// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row per group of lanes, through a volatile pointer and with steps written out.
kernel void multiply(global const uint* restrict starts, global const uint* restrict columns,
                     global const float* restrict values, global const float* restrict x, global float* restrict y,
                     const uint rows, volatile local float* sums) {
  const uint l = get_local_id(0), lane = l % 32, row = get_group_id(0) * (get_local_size(0) / 32) + l / 32;
  float sum = 0;
  if (row < rows) {
    const uint end = starts[row + 1];
    for (uint k = starts[row] + lane; k < end; k += 32)
      sum += values[k] * x[columns[k]];
  }
  sums[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 16) sums[l] = sum += sums[l + 16];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 8) sums[l] = sum += sums[l + 8];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 4) sums[l] = sum += sums[l + 4];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 2) sums[l] = sum += sums[l + 2];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 1) sums[l] = sum += sums[l + 1];
  if (lane == 0 && row < rows)
    y[row] = sum;
}
