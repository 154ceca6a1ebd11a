// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By tiles of 32 in groups of 32 x 8, four rows a work-item.
kernel void transpose(global const float* in, global float* out, int w, int h) {
  local float tile[32][33];
  int lx = get_local_id(0), ly = get_local_id(1);
  int x = get_group_id(0) * 32 + lx, y = get_group_id(1) * 32 + ly;
  for (int j = 0; j < 32; j += 8)
    tile[ly + j][lx] = in[(y + j) * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 32 + lx;
  y = get_group_id(0) * 32 + ly;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * h + x] = tile[lx][ly + j];
}
