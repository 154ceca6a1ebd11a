// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of sub-groups, added by the first work-item.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void reduce(global const int* in, global int* sums) {
  local int data[64];
  uint i = get_group_id(0) * 1024 + get_local_id(0);
  int sum = sub_group_reduce_add(in[i] + in[i + 256] + in[i + 512] + in[i + 768]);
  if (get_sub_group_local_id() == 0)
    data[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    sum = 0;
    for (uint g = 0; g < get_num_sub_groups(); ++g)
      sum += data[g];
    sums[get_group_id(0)] = sum;
  }
}
