// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As barriers/one_row, with smaller work-groups at the ends of both dimensions.
kernel void tickets(global const int* in, global int* drawn, global int* sums, global int* out, local int* tmp) {
  int lid = get_local_id(0), gid = get_global_id(0);
  int ticket = atomic_inc(&drawn[gid]);
  tmp[lid] = in[gid];
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sums[gid], ticket);
  int other = tmp[get_local_size(0) - 1 - lid];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[gid] = other + (int)get_enqueued_local_size(1);
}

kernel void wg(global const int* in, global int* drawn, global int* sums, global int* out, local int* tmp) {
  int gid = get_global_id(0);
  int s = work_group_reduce_add(in[gid]);
  atomic_inc(&drawn[gid]);
  int t = work_group_scan_inclusive_add(1);
  if (t == 1) atomic_add(&sums[gid], s);
  out[gid] = sub_group_reduce_add(1) > 0;
}
