// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree with strided indices and neighbouring work-items.
kernel void reduce(global const int* in, global int* sums) {
  local int data[256];
  unsigned l = get_local_id(0), i = get_group_id(0) * 1024 + l;
  data[l] = in[i] + in[i + 256] + in[i + 512] + in[i + 768];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (unsigned s = 1; s < get_local_size(0); s *= 2) {
    unsigned index = 2 * s * l;
    if (index < get_local_size(0))
      data[index] += data[index + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    sums[get_group_id(0)] = data[0];
}
