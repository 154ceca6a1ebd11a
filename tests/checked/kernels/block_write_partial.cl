// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=60 local=20
// says: write of 4 bytes, just behind argument 0 'out' \(960 bytes\)[\s\S]*work-item \(5[6-9], 0, 0\)
// args: int[240]
kernel void faulty(global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  const bool isLast = get_group_id(0) == 2 && get_sub_group_id() == get_num_sub_groups() - 1;
  intel_sub_group_block_write(out + (isLast ? 240 : 4 * first), 1u); // FAULT
}

kernel void fixed(global uint* out) {
  // The last sub-group of a group has four work-items at most, and writes no more.
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  const bool isLast = get_group_id(0) == 2 && get_sub_group_id() == get_num_sub_groups() - 1;
  intel_sub_group_block_write(out + (isLast ? 236 : 4 * first), 1u);
}
