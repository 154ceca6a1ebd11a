// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of two dimensions in local memory.
kernel void multiply(global const float* a, global const float* b, global float* c, int n) {
  local float tileA[16][16], tileB[16][16];
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    tileA[ly][lx] = a[y * n + t + lx];
    tileB[ly][lx] = b[(t + ly) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++)
      sum += tileA[ly][k] * tileB[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}
