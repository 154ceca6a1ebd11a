// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters in local memory; all work-items go through the input together.
kernel void count(global const uchar* in, global uint* counts, local uint* bins, uint n) {
  bins[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(bins + in[i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(counts + get_local_id(0), bins[get_local_id(0)]);
}
