// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-groups that take turns (compiler/analysis/interleaving.hpp): each keeps what is its own.

// Each group has a limit of its own, so that they come to their ends at different times, some at once.
kernel void parts(global const int* in, global int* out, int n, local int* part) {
  int lid = get_local_id(0), group = get_group_id(0) + get_group_id(1) * get_num_groups(0);
  int limit = n / (1 + group % 7 * 3);
  int factor = limit % 13; // once a group, and not to be had again without a division
  long sum = 0;
  int rounds = 0;
  for (int i = get_global_id(0); i < limit; i += get_global_size(0)) {
    sum += in[i] * (int)(1 + get_group_id(1));
    ++rounds;
  }
  part[lid] = sum * factor;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = part[get_local_size(0) - 1 - lid] + rounds;
}

// Two such loops, and variables that are kept in memory across them.
kernel void twice(global const int* in, global int* out, int n, local int* part) {
  int lid = get_local_id(0);
  int seen[4] = {lid, 1, 2, 3};
  for (uint i = get_global_id(0); i < (uint)n; i += get_global_size(0))
    seen[in[i] & 3] += 5;
  for (uint i = get_local_id(0); i < (uint)n / 13; i += get_local_size(0))
    seen[in[i] & 3] += 7;
  part[lid] = seen[0] + 2 * seen[1] + 4 * seen[2] + 8 * seen[3];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = part[lid ^ 1];
}

// Local memory is in use when the loop begins: there is one for all groups of a thread, so they must not take turns.
kernel void kept(global const int* in, global int* out, int n, local int* part) {
  int lid = get_local_id(0), sum = 0;
  part[lid] = get_group_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = sum + 1000 * part[get_local_size(0) - 1 - lid];
}

// Global memory that groups share is changed by atomics, in any order.
kernel void shared(global const int* in, global int* out, int n, local int* part) {
  int lid = get_local_id(0), sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += in[i];
  part[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    if (lid < half_size) part[lid] += part[lid + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0) atomic_add(out, part[0]);
}
