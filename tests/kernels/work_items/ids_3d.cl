// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void ids(global uint* out) {
  const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
               z = get_global_id(2) - get_global_offset(2);
  global uint* o = out + ((z * get_global_size(1) + y) * get_global_size(0) + x) * 6;
  o[0] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2);
  o[1] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);
  o[2] = get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);
  o[3] = get_local_size(0) + 100 * get_local_size(1) + 10000 * get_local_size(2);
  o[4] = get_num_groups(0) + 100 * get_num_groups(1) + 10000 * get_num_groups(2);
  o[5] = get_global_size(0) + 100 * get_global_size(1) + 10000 * get_global_size(2) + 1000000 * get_work_dim();
}
