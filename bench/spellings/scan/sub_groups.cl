// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of sub-groups; every work-item adds the sums of those before its own.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void scan(global const uint* in, global uint* out) {
  local uint sums[64];
  uint mine = in[get_global_id(0)];
  uint sum = sub_group_scan_exclusive_add(mine);
  uint group = get_sub_group_id();
  if (get_sub_group_local_id() == get_sub_group_size() - 1)
    sums[group] = sum + mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint g = 0; g < group; ++g)
    sum += sums[g];
  out[get_global_id(0)] = sum;
}
