// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-item 0 adds what all others have left.
kernel void reduce(global const int* in, global int* sums) {
  local int data[256];
  uint l = get_local_id(0), i = get_group_id(0) * 1024 + l;
  data[l] = in[i] + in[i + 256] + in[i + 512] + in[i + 768];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    int sum = 0;
    for (uint k = 0; k < get_local_size(0); ++k)
      sum += data[k];
    sums[get_group_id(0)] = sum;
  }
}
