// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By tiles that groups take along diagonals, against conflicts of memory's partitions.
kernel void transpose(global const float* in, global float* out, int w, int h) {
  local float tile[16][17];
  int across = get_num_groups(0), down = get_num_groups(1);
  int id = get_group_id(0) + across * get_group_id(1);
  int by = id % down, bx = (id / down + by) % across;
  int lx = get_local_id(0), ly = get_local_id(1);
  tile[ly][lx] = in[(by * 16 + ly) * w + bx * 16 + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(bx * 16 + ly) * h + by * 16 + lx] = tile[lx][ly];
}
