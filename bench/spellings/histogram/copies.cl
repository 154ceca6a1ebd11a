// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight copies of the counters in local memory, so that work-items meet less often.
kernel void count(global const uchar* in, global uint* counts, uint n) {
  local uint bins[8 * 256];
  uint l = get_local_id(0), copy = l % 8;
  for (uint i = l; i < 8 * 256; i += get_local_size(0))
    bins[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&bins[copy * 256 + in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = l; i < 256; i += get_local_size(0)) {
    uint sum = 0;
    for (uint k = 0; k < 8; ++k)
      sum += bins[k * 256 + i];
    atomic_add(&counts[i], sum);
  }
}
