// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zeros in front of the block instead of a condition.
kernel void scan(global const uint* in, global uint* out) {
  local uint sums[512];
  const uint l = get_local_id(0);
  const uint mine = in[get_global_id(0)];
  sums[l] = 0;
  sums[l + 256] = mine;
  for (uint d = 1; d < 256; d += d) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = sums[l + 256] + sums[l + 256 - d];
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l + 256] = sum;
  }
  out[get_global_id(0)] = sums[l + 256] - mine;
}
