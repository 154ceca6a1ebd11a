// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void histogram(global const uchar* in, global uint* bins, uint n) {
  local uint own[32];
  for (uint k = get_local_id(0); k < 32; k += get_local_size(0)) own[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = get_global_id(0); k < n; k += get_global_size(0)) atomic_inc(&own[in[k] >> 3]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = get_local_id(0); k < 32; k += get_local_size(0)) atomic_add(&bins[k], own[k]);
}
