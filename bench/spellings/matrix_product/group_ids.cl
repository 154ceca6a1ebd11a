// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An element a work-item, its place computed of the group's and its own in it.
kernel void multiply(global const float* a, global const float* b, global float* c, int n) {
  int row = get_group_id(1) * 16 + get_local_id(1), column = get_group_id(0) * 16 + get_local_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
