// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts blocks of 512 in local memory; each of the 256 work-items of a group compares one pair a step.
kernel void sort_blocks(global const uint* in, global uint* out) {
  local uint data[512];
  int lid = get_local_id(0);
  int base = get_group_id(0) * 512;
  data[lid] = in[base + lid];
  data[lid + 256] = in[base + lid + 256];
  for (int size = 2; size <= 512; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int i = 2 * lid - (lid & (stride - 1));
      bool descending = (i & size) != 0;
      uint a = data[i], b = data[i + stride];
      if ((a > b) != descending) {
        data[i] = b;
        data[i + stride] = a;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + lid] = data[lid];
  out[base + lid + 256] = data[lid + 256];
}
