// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each work-item has 256 counters of a byte in local memory, whose sums the group adds up.
kernel void count(global const uchar* in, global uint* counts, local uchar* bins) {
  uint l = get_local_id(0), size = get_local_size(0);
  for (uint i = 0; i < 256; ++i)
    bins[l * 256 + i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint first = get_group_id(0) * size * 255;
  for (uint i = 0; i < 255; ++i)
    bins[l * 256 + in[first + i * size + l]]++;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = l; i < 256; i += size) {
    uint sum = 0;
    for (uint k = 0; k < size; ++k)
      sum += bins[k * 256 + i];
    atomic_add(&counts[i], sum);
  }
}
