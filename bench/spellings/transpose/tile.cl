// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By tiles in local memory.
kernel void transpose(global const float* in, global float* out, int w, int h) {
  local float tile[16][16];
  int lx = get_local_id(0), ly = get_local_id(1);
  tile[ly][lx] = in[get_global_id(1) * w + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  int x = get_group_id(1) * 16 + lx, y = get_group_id(0) * 16 + ly;
  out[y * h + x] = tile[lx][ly];
}
