// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree that adds halves.
kernel void reduce(global const int* in, global int* sums, local int* data) {
  size_t l = get_local_id(0), size = get_local_size(0), i = get_group_id(0) * size * 4 + l;
  data[l] = in[i] + in[i + size] + in[i + 2 * size] + in[i + 3 * size];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t s = size / 2; s > 0; s >>= 1) {
    if (l < s)
      data[l] += data[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    sums[get_group_id(0)] = data[0];
}
