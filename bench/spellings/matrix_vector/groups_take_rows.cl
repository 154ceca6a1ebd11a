// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups go through the rows in turn; the tree begins by its narrowest step.
kernel void multiply(global const float* a, global const float* x, global float* y, local float* sums, uint columns,
                     uint rows) {
  for (uint row = get_group_id(0); row < rows; row += get_num_groups(0)) {
    global const float* from = a + row * columns;
    float sum = 0;
    for (uint k = get_local_id(0); k < columns; k += get_local_size(0))
      sum += from[k] * x[k];
    sums[get_local_id(0)] = sum;
    for (uint stride = 1; stride < get_local_size(0); stride *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint index = 2 * stride * get_local_id(0);
      if (index < get_local_size(0))
        sums[index] += sums[index + stride];
    }
    if (get_local_id(0) == 0)
      y[row] = sums[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
