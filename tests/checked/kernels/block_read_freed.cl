// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// says: read of 4 bytes, byte \d+ of freed shared memory
// args: freed:int[64] int[64]
kernel void faulty(global const ulong* pointers, global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  out[get_global_id(0)] = intel_sub_group_block_read((global const uint*)pointers[1] + first); // FAULT
}

kernel void fixed(global const ulong* pointers, global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  out[get_global_id(0)] = intel_sub_group_block_read((global const uint*)pointers[0] + first);
}
