// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One sum in local memory, to which all add.
kernel void reduce(global const int* in, global int* sums) {
  local int sum;
  uint l = get_local_id(0), i = get_group_id(0) * 1024 + l;
  if (l == 0)
    sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sum, in[i] + in[i + 256] + in[i + 512] + in[i + 768]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0)
    sums[get_group_id(0)] = sum;
}
