// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void ids(global uint* out) {
  const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  global uint* o = out + (y * get_global_size(0) + x) * 8;
  o[0] = get_global_id(0);
  o[1] = get_global_id(1);
  o[2] = get_local_id(0);
  o[3] = get_local_id(1);
  o[4] = get_group_id(0) + 1000 * get_group_id(1);
  o[5] = get_local_size(0) + 1000 * get_local_size(1);
  o[6] = get_num_groups(0) + 1000 * get_num_groups(1);
  o[7] = get_work_dim() + 10 * get_global_offset(0) + 10000 * get_global_offset(1) + get_global_id(2);
}
