// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that ask for nothing of dimensions 1 and 2, of which work-groups may have several rows all the same: each
// work-item of a column draws a number, and keeps it across a barrier.
kernel void tickets(global const int* in, global int* drawn, global int* sums, global int* out, local int* tmp) {
  int lid = get_local_id(0), gid = get_global_id(0);
  int ticket = atomic_inc(&drawn[gid]);
  tmp[lid] = in[gid];
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sums[gid], ticket);
  int other = tmp[lid ^ 1];
  if (lid == get_local_size(0) - 1) other = -other;
  out[gid] = other;
}

// Whether there is a row at all is no question of this work-item's.
kernel void sizes(global const int* in, global int* drawn, global int* sums, global int* out, local int* tmp) {
  int lid = get_local_id(0), gid = get_global_id(0);
  tmp[lid] = in[gid];
  atomic_inc(&drawn[gid]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_group_id(1) == 0) atomic_inc(&sums[gid]);
  out[gid] = tmp[lid] + (int)(get_local_size(1) * get_local_size(2));
}

// The linear local id is all that it asks for.
kernel void linear(global const int* in, global int* drawn, global int* sums, global int* out, local int* tmp) {
  int id = get_local_linear_id(), size = get_local_size(0) * get_local_size(1) * get_local_size(2);
  int group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
  tmp[id] = in[(group * size + id) % 64];
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&drawn[id % 64]);
  atomic_add(&sums[(group * size + id) % 64], tmp[size - 1 - id]);
  if (group == 0 && id < 64) out[id] = tmp[size - 1 - id];
}
