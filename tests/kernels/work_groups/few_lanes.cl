// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-groups whose last sub-group has few work-items, fewer than there are sub-groups among others.
kernel void arithmetic(global const int* in, global int* sums, global int* inclusive, global int* exclusive,
                       global int* extremes) {
  const size_t group = get_local_size(0) * get_local_size(1);
  const size_t place = (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * group + get_local_linear_id();
  const int x = in[place];
  sums[place] = work_group_reduce_add(x);
  inclusive[place] = work_group_scan_inclusive_add(x);
  exclusive[place] = work_group_scan_exclusive_max(x);
  extremes[place] = 1000 * work_group_reduce_max(x) + work_group_reduce_min(x);
}

kernel void votes(global const int* in, global int* out, global long* last) {
  const size_t place = get_global_id(0);
  const int x = in[place];
  out[place] = (work_group_all(x != 1) != 0) + 2 * (work_group_any(x == 2) != 0) +
               4 * (work_group_all(get_local_id(0) + 1 != get_local_size(0)) != 0) +
               8 * (work_group_any(get_local_id(0) + 1 == get_local_size(0)) != 0);
  last[place] = work_group_broadcast((long)x << 33, get_local_size(0) - 1);
}
