// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items that return before they fill their part of a tile keep the tile: the memory for that part may not be
// there. A return of the whole work-group makes no difference.
// RUN: %report --cpu x86-64-v4 %s | %check
// REQUIRES: x86

// CHECK-LABEL: kernel some:
// CHECK-NOT: without local memory
kernel void some(global const float* in, global float* out, int w, int h) {
  local float tile[16][17];
  const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  tile[ly][lx] = in[y * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(get_group_id(0) * 16 + ly) * h + get_group_id(1) * 16 + lx] = tile[lx][ly];
}

// CHECK-LABEL: kernel groups:
// CHECK: without local memory
kernel void groups(global const float* in, global float* out, int w, int h) {
  local float tile[16][17];
  const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  if ((int)get_group_id(0) * 16 + 16 > w) return;
  tile[ly][lx] = in[y * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(get_group_id(0) * 16 + ly) * h + get_group_id(1) * 16 + lx] = tile[lx][ly];
}
