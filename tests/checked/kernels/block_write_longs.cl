// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// says: write of 8 bytes, just behind argument 0 'out' \(2048 bytes\)[\s\S]*work-item \(6[0-3], 0, 0\)
// args: ulong[256]
kernel void faulty(global ulong* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  intel_sub_group_block_write_ul4(out + 4 * first + 2, (ulong4)(1, 2, 3, 4)); // FAULT
}

kernel void fixed(global ulong* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  intel_sub_group_block_write_ul4(out + 4 * first, (ulong4)(1, 2, 3, 4));
}
