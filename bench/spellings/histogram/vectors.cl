// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters in local memory; bytes by vectors of 16.
kernel void count(global const uchar16* in, global uint* counts, uint each) {
  local uint bins[256];
  int l = get_local_id(0);
  bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; i < each; i++) {
    uchar v[16];
    vstore16(in[(get_group_id(0) * each + i) * 256 + l], 0, v);
    for (int k = 0; k < 16; k++)
      atomic_inc(&bins[v[k]]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (bins[l])
    atomic_add(&counts[l], bins[l]);
}
