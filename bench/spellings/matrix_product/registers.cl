// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of 32, of which each work-item has four elements of a column in registers.
kernel __attribute__((reqd_work_group_size(32, 8, 1))) void multiply(global const float* a, global const float* b,
                                                                     global float* c, int n) {
  local float tileA[32][32], tileB[32][32];
  const int row = get_local_id(1), column = get_local_id(0);
  const int y = 32 * get_group_id(1) + row, x = 32 * get_group_id(0) + column;
  float sums[4];
  for (int w = 0; w < 4; w++)
    sums[w] = 0.0f;
  for (int t = 0; t < n; t += 32) {
    for (int w = 0; w < 4; w++) {
      tileA[row + w * 8][column] = a[(y + w * 8) * n + t + column];
      tileB[row + w * 8][column] = b[(t + row + w * 8) * n + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 32; k++)
      for (int w = 0; w < 4; w++)
        sums[w] += tileA[row + w * 8][k] * tileB[k][column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int w = 0; w < 4; w++)
    c[(y + w * 8) * n + x] = sums[w];
}
