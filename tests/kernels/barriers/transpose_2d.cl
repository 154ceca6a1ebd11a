// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define TILE 8
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void transpose(global const float* in, global float* out, int width, int height) {
  local float tile[TILE][TILE + 1];
  const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  tile[ly][lx] = in[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int ox = get_group_id(1) * TILE + lx, oy = get_group_id(0) * TILE + ly;
  out[oy * height + ox] = tile[lx][ly];
}
