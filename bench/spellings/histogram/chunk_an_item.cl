// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters in local memory; each work-item takes bytes that lie one after the other.
kernel void count(global const uchar* in, global uint* counts, int each) {
  local uint bins[256];
  int l = get_local_id(0);
  bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int first = get_global_id(0) * each;
  for (int i = 0; i < each; i++)
    atomic_inc(&bins[in[first + i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counts[l], bins[l]);
}
