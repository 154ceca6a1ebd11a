// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of each group in local memory; its work-items take bytes a group's width apart.
kernel void count(global const uchar* in, global uint* counts, uint each) {
  local uint bins[256];
  uint l = get_local_id(0), size = get_local_size(0);
  for (uint i = l; i < 256; i += size)
    bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint first = get_group_id(0) * size * each;
  for (uint i = 0; i < each; ++i)
    atomic_inc(&bins[in[first + i * size + l]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = l; i < 256; i += size)
    atomic_add(&counts[i], bins[i]);
}
