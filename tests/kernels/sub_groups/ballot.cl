// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cl_khr_subgroup_ballot
kernel void ballot(global const int* a, global uint* low, global uint* high, global uint* count, global uint* before,
                   global uint* upTo, global uint* least, global uint* most, global uint* inverse,
                   global uint* extracted) {
  const size_t i = get_global_id(0);
  const uint4 set = sub_group_ballot(a[i] & 1);
  low[i] = set.x;
  high[i] = set.y | set.z | set.w;
  count[i] = sub_group_ballot_bit_count(set);
  before[i] = sub_group_ballot_exclusive_scan(set);
  upTo[i] = sub_group_ballot_inclusive_scan(set);
  least[i] = set.x | set.y ? sub_group_ballot_find_lsb(set) : 99;
  most[i] = set.x | set.y ? sub_group_ballot_find_msb(set) : 99;
  inverse[i] = sub_group_inverse_ballot(set);
  extracted[i] = sub_group_ballot_bit_extract(set, (get_sub_group_local_id() + 1) % get_sub_group_size());
}

kernel void masks(global uint* eq, global uint* ge, global uint* gt, global uint* le, global uint* lt) {
  const size_t i = get_global_id(0);
  eq[i] = get_sub_group_eq_mask().x;
  ge[i] = get_sub_group_ge_mask().x;
  gt[i] = get_sub_group_gt_mask().x;
  le[i] = get_sub_group_le_mask().x;
  lt[i] = get_sub_group_lt_mask().x;
}

kernel void votes(global const int* a, global int* all, global int* any, global int* equal, global int* elected) {
  const size_t i = get_global_id(0);
  all[i] = sub_group_non_uniform_all(a[i] < 90);
  any[i] = sub_group_non_uniform_any(a[i] > 90);
  equal[i] = sub_group_non_uniform_all_equal(a[i] / 64);
  elected[i] = sub_group_elect();
}
