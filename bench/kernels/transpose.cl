// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void transpose(global float* out, global const float* in, int width, int height) {
  local float tile[TILE][TILE + 1];
  int lx = get_local_id(0), ly = get_local_id(1);
  int x = get_group_id(0) * TILE + lx, y = get_group_id(1) * TILE + ly;
  tile[ly][lx] = in[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * TILE + lx;
  y = get_group_id(0) * TILE + ly;
  out[y * height + x] = tile[lx][ly];
}
