// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row a work-item, which keeps its row of the first matrix in private memory; columns of the other in local memory.
kernel void multiply(global const float* a, global const float* b, global float* c, local float* column, int n) {
  int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
  float row[512];
  for (int k = 0; k < n; k++)
    row[k] = a[i * n + k];
  for (int j = 0; j < n; j++) {
    for (int k = l; k < n; k += size)
      column[k] = b[k * n + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
      sum += row[k] * column[k];
    c[i * n + j] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
