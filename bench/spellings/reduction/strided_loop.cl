// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each work-item adds what lies a group's width apart, by a loop that knows no count, before the tree.
kernel void reduce(global const int* in, global int* sums, local int* data, uint each) {
  uint l = get_local_id(0);
  uint i = get_group_id(0) * each + l, end = (get_group_id(0) + 1) * each;
  int sum = 0;
  while (i < end) {
    sum += in[i];
    i += get_local_size(0);
  }
  data[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = get_local_size(0) >> 1; s != 0; s >>= 1) {
    if (l < s)
      data[l] = data[l] + data[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (!l)
    sums[get_group_id(0)] = *data;
}
