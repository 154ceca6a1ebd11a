// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inclusive prefix sum of 64-bit integers, Hillis and Steele's way, a block a work-group.
kernel void scan_blocks(global const ulong* in, global ulong* out, global ulong* sums) {
  local ulong tmp[256];
  int lid = get_local_id(0);
  size_t gid = get_global_id(0);
  tmp[lid] = in[gid];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int offset = 1; offset < 256; offset <<= 1) {
    ulong v = 0;
    if (lid >= offset)
      v = tmp[lid - offset];
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[lid] += v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[gid] = tmp[lid];
  if (lid == 255)
    sums[get_group_id(0)] = tmp[255];
}

// What lies before each block; each work-item adds up for one block of blocks.
kernel void scan_sums(global const ulong* sums, global ulong* offsets, int n) {
  local ulong part[256];
  int lid = get_local_id(0);
  int chunk = (n + 255) / 256;
  int begin = min(lid * chunk, n), end = min(begin + chunk, n);
  ulong sum = 0;
  for (int i = begin; i < end; i++)
    sum += sums[i];
  part[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong before = 0;
  for (int i = 0; i < lid; i++)
    before += part[i];
  for (int i = begin; i < end; i++) {
    offsets[i] = before;
    before += sums[i];
  }
}

kernel void add_offsets(global ulong* out, global const ulong* offsets) {
  out[get_global_id(0)] += offsets[get_group_id(0)];
}
