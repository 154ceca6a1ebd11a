// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole work-groups leave before the barrier, and single items leave after the last.
kernel void leave(global int* out, local int* shared, int limit) {
  const int l = get_local_id(0), n = get_local_size(0);
  out[get_global_id(0)] = -7;
  if ((int)get_group_id(0) >= limit) return;
  shared[l] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l % 3 == 1) return;
  out[get_global_id(0)] = shared[n - 1 - l];
}
