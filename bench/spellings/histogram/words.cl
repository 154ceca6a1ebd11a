// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters in local memory; four bytes at a time from words.
kernel void count(global const uint* in, global uint* counts, uint words) {
  local uint bins[256];
  bins[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < words; i += get_global_size(0)) {
    uint word = in[i];
    atomic_inc(&bins[word & 0xFF]);
    atomic_inc(&bins[(word >> 8) & 0xFF]);
    atomic_inc(&bins[(word >> 16) & 0xFF]);
    atomic_inc(&bins[word >> 24]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counts[get_local_id(0)], bins[get_local_id(0)]);
}
