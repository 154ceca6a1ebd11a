// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exclusive prefix sum: blocks of 1024 by work-groups of 256, the blocks' sums by one group, and both added.
kernel void scan_blocks(global const uint* in, global uint* out, global uint* sums) {
  local uint tmp[2][256];
  uint lid = get_local_id(0);
  uint base = get_group_id(0) * 1024 + lid * 4;
  uint a = in[base], b = in[base + 1], c = in[base + 2], d = in[base + 3];
  uint total = a + b + c + d;
  uint from = 0;
  tmp[0][lid] = total;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint offset = 1; offset < 256; offset *= 2) {
    uint v = tmp[from][lid];
    if (lid >= offset)
      v += tmp[from][lid - offset];
    tmp[1 - from][lid] = v;
    from = 1 - from;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint before = tmp[from][lid] - total;
  out[base] = before;
  out[base + 1] = before + a;
  out[base + 2] = before + a + b;
  out[base + 3] = before + a + b + c;
  if (lid == 255)
    sums[get_group_id(0)] = tmp[from][255];
}

kernel void scan_sums(global uint* sums, int n) {
  local uint tmp[256];
  uint lid = get_local_id(0);
  uint carry = 0;
  for (int start = 0; start < n; start += 256) {
    int i = start + lid;
    uint mine = i < n ? sums[i] : 0;
    tmp[lid] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint offset = 1; offset < 256; offset *= 2) {
      uint v = lid >= offset ? tmp[lid - offset] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      tmp[lid] += v;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
      sums[i] = carry + tmp[lid] - mine;
    carry += tmp[255];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

kernel void add_sums(global uint* out, global const uint* sums) {
  size_t i = get_global_id(0);
  out[i] += sums[i / 1024];
}
