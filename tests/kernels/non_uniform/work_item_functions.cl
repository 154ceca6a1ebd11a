// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each work-item function says in work-groups of every size that there is in a launch.
kernel void sizes(global ulong* local_size, global ulong* enqueued, global ulong* groups, global ulong* group,
                  global ulong* local_id, global ulong* local_linear, global ulong* global_linear, global ulong* rest) {
  const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
               z = get_global_id(2) - get_global_offset(2);
  const size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
  local_size[i] = get_local_size(0) + 1000 * get_local_size(1) + 1000000 * get_local_size(2);
  enqueued[i] = get_enqueued_local_size(0) + 1000 * get_enqueued_local_size(1) + 1000000 * get_enqueued_local_size(2);
  groups[i] = get_num_groups(0) + 1000 * get_num_groups(1) + 1000000 * get_num_groups(2);
  group[i] = get_group_id(0) + 1000 * get_group_id(1) + 1000000 * get_group_id(2);
  local_id[i] = get_local_id(0) + 1000 * get_local_id(1) + 1000000 * get_local_id(2);
  local_linear[i] = get_local_linear_id();
  global_linear[i] = get_global_linear_id();
  // Queries of a dimension that does not exist, and of sizes in a dimension that the compiler does not know.
  const uint last = get_work_dim() - 1;
  const size_t local_last = last == 0 ? get_local_size(0) : last == 1 ? get_local_size(1) : get_local_size(2);
  const size_t enqueued_last =
      last == 0 ? get_enqueued_local_size(0) : last == 1 ? get_enqueued_local_size(1) : get_enqueued_local_size(2);
  rest[i] = get_work_dim() + 10 * get_local_size(3) + 100 * get_enqueued_local_size(7) +
            1000 * (get_local_size(last) == local_last) + 10000 * (get_enqueued_local_size(last) == enqueued_last);
}
