// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items of several rows use one row of local memory, and know by their global ids who may write.
kernel void rows(global int* out, local int* shared) {
  const int x = get_local_id(0), y = get_global_id(1);
  if (y == 0) shared[x] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int before = shared[x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (y == 0) shared[x] = before + 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[y * get_global_size(0) + x] = before * 1000 + shared[x];
}
