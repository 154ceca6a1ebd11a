// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hillis and Steele's scan in place: what a step reads and what it writes are apart by a barrier.
kernel void scan(global const uint* in, global uint* out) {
  local uint sums[256];
  uint l = get_local_id(0), i = get_global_id(0);
  uint mine = in[i];
  sums[l] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < 256; d *= 2) {
    uint before = l >= d ? sums[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = sums[l] - mine;
}
