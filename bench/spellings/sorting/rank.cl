// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each work-item counts the block's keys that come before its own.
kernel void sort(global const uint* in, global uint* out) {
  local uint a[256];
  uint l = get_local_id(0), mine = in[get_global_id(0)];
  a[l] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint rank = 0;
  for (uint k = 0; k < 256; ++k)
    rank += a[k] < mine || (a[k] == mine && k < l);
  out[get_group_id(0) * 256 + rank] = mine;
}
