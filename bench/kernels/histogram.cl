// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void clear(global uint* bins) { bins[get_global_id(0)] = 0; }

kernel void histogram(global const uchar* data, global uint* bins, int n) {
  local uint mine[256];
  int lid = get_local_id(0);
  mine[lid] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&mine[data[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[lid], mine[lid]);
}
