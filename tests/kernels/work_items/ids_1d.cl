// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every work-item function in one dimension; dimensions that are not there have the values the specification gives.
kernel void ids(global ulong* out) {
  const size_t i = get_global_id(0) - get_global_offset(0);
  global ulong* o = out + i * 12;
  o[0] = get_global_id(0);
  o[1] = get_local_id(0);
  o[2] = get_group_id(0);
  o[3] = get_global_size(0);
  o[4] = get_local_size(0);
  o[5] = get_num_groups(0);
  o[6] = get_global_offset(0);
  o[7] = get_work_dim();
  o[8] = get_global_id(1) + get_local_id(2) + get_group_id(1) + get_global_offset(2);
  o[9] = get_global_size(1) * 1000 + get_local_size(2) * 100 + get_num_groups(1) * 10;
  o[10] = get_global_id(7) + get_local_id(3);
  o[11] = get_global_size(5) + get_num_groups(100);
}
