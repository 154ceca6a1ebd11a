// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// says: write of 4 bytes, (just|\d+ bytes) behind argument 0 'out' \(1024 bytes\)
// args: int[256]
kernel void faulty(global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  intel_sub_group_block_write(out + 4 * first + 4 * get_max_sub_group_size(), 1u); // FAULT
}

kernel void fixed(global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  intel_sub_group_block_write(out + 4 * first, 1u);
}
