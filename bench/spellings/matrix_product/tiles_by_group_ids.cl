// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of two dimensions; places computed of the group's and the work-item's in it, a counter of tiles.
#define TILE 16
kernel void multiply(global const float* a, global const float* b, global float* c, int n) {
  local float tileA[TILE][TILE];
  local float tileB[TILE][TILE];
  const int row = get_local_id(1), column = get_local_id(0);
  const int globalRow = TILE * get_group_id(1) + row, globalColumn = TILE * get_group_id(0) + column;
  float sum = 0.0f;
  const int tiles = n / TILE;
  for (int t = 0; t < tiles; t++) {
    tileA[row][column] = a[globalRow * n + TILE * t + column];
    tileB[row][column] = b[(TILE * t + row) * n + globalColumn];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k++)
      sum += tileA[row][k] * tileB[k][column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[globalRow * n + globalColumn] = sum;
}
