// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each work-group sums its share into one element of `sums`; a second launch with one group sums those.
kernel void reduce(global const float* in, global float* sums, local float* scratch, int n) {
  int lid = get_local_id(0);
  float sum = 0.0f;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += in[i];
  scratch[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    if (lid < half_size)
      scratch[lid] += scratch[lid + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0)
    sums[get_group_id(0)] = scratch[0];
}
