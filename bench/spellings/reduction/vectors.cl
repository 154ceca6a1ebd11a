// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of four from memory to the end of the tree.
kernel void reduce(global const int4* in, global int* sums, local int4* data) {
  uint l = get_local_id(0), size = get_local_size(0);
  data[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = size >> 1; s > 0; s >>= 1) {
    if (l < s)
      data[l] += data[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    sums[get_group_id(0)] = data[0].x + data[0].y + data[0].z + data[0].w;
}
