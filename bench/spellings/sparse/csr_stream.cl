// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compressed rows: a group has its rows' products in local memory, piece by piece, and adds them up from there.
kernel void multiply(global const int* starts, global const int* columns, global const float* values,
                     global const float* x, global float* y) {
  local float products[1024];
  const int l = get_local_id(0), row = get_global_id(0), size = get_local_size(0);
  const int groupFirst = starts[get_group_id(0) * size], groupEnd = starts[(get_group_id(0) + 1) * size];
  const int first = starts[row], end = starts[row + 1];
  float sum = 0;
  for (int base = groupFirst; base < groupEnd; base += 1024) {
    for (int k = l; k < 1024 && base + k < groupEnd; k += size)
      products[k] = values[base + k] * x[columns[base + k]];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = max(first, base); k < min(end, base + 1024); ++k)
      sum += products[k - base];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  y[row] = sum;
}
