// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// says: race: write of 4 bytes of argument 0 'out'
// args: int[256] int[64]
kernel void faulty(global uint* out, global uint* other) {
  intel_sub_group_block_write(out, (uint)get_global_id(0)); // FAULT
}

kernel void fixed(global uint* out, global uint* other) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  intel_sub_group_block_write(out + 4 * first, (uint)get_global_id(0));
  other[get_global_id(0)] = intel_sub_group_block_read(out + 4 * first);
}
