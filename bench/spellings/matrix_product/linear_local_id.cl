// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of one dimension; a work-item finds its place in the tile by division.
kernel void multiply(global const float* a, global const float* b, global float* c, int n) {
  local float tileA[256], tileB[256];
  const int l = get_local_id(0), row = l / 16, column = l % 16;
  const int tilesAcross = n / 16;
  const int y = get_group_id(0) / tilesAcross * 16 + row, x = get_group_id(0) % tilesAcross * 16 + column;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    tileA[l] = a[y * n + t + column];
    tileB[l] = b[(t + row) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k)
      sum = mad(tileA[row * 16 + k], tileB[k * 16 + column], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}
