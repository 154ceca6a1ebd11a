// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each work-item adds four neighbours.
kernel void reduce(global const int* in, global int* sums) {
  local int data[256];
  int l = get_local_id(0), sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += in[get_global_id(0) * 4 + k];
  data[l] = sum;
  for (int s = 128; s > 0; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < s)
      data[l] += data[l + s];
  }
  if (l == 0)
    sums[get_group_id(0)] = data[0];
}
