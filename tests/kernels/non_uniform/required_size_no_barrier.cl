// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without a barrier: sub-groups that agree, some that do not, and rows of several work-groups run as one.
kernel __attribute__((reqd_work_group_size(32, 2, 1))) void sizes(global uint* out, uint limit) {
  const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  if (x >= limit) return;
  out[y * get_global_size(0) + x] = get_local_size(0) + 100 * get_local_size(1) + 10000 * get_local_id(0) +
                                    1000000 * get_enqueued_local_size(0) + 100000000 * get_local_id(1);
}
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void merged(global uint* out, uint limit) {
  const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  if (x < limit) out[y * get_global_size(0) + x] = get_local_size(0) + 100 * get_enqueued_local_size(0) + 10000 * x;
}
