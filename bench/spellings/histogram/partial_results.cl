// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No atomics on global memory: each group leaves its counters, which a second kernel adds up.
kernel void count(global const uchar* in, global uint* partial, uint n) {
  local uint bins[256];
  uint l = get_local_id(0);
  bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&bins[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  partial[get_group_id(0) * 256 + l] = bins[l];
}

kernel void merge(global const uint* partial, global uint* counts, uint groups) {
  uint bin = get_global_id(0), sum = 0;
  for (uint g = 0; g < groups; ++g)
    sum += partial[g * 256 + bin];
  counts[bin] = sum;
}
