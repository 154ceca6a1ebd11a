// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-groups are cut by the linear local id, and only the last sub-group is short.
kernel void queries(global uint* sizes, global uint* greatest, global uint* counts, global uint* enqueued,
                    global uint* ids, global uint* locals) {
  const size_t i = get_global_linear_id();
  sizes[i] = get_sub_group_size();
  greatest[i] = get_max_sub_group_size();
  counts[i] = get_num_sub_groups();
  enqueued[i] = get_enqueued_num_sub_groups();
  ids[i] = get_sub_group_id();
  locals[i] = get_sub_group_local_id();
}
