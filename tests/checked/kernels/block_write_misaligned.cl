// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// says: misaligned address 0x[0-9a-f]+ of argument 0 'out', which must be a multiple of 16
// args: int[1024]
kernel void faulty(global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  intel_sub_group_block_write(out + 4 * first + 2, 1u); // FAULT
}

kernel void fixed(global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  intel_sub_group_block_write(out + 4 * first + 4, 1u);
}
