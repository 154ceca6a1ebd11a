// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// says: misaligned address 0x[0-9a-f]+ of argument 0 'in', which must be a multiple of 4
// args: uchar[4096] int[64]
kernel void faulty(global const uchar* in, global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  out[get_global_id(0)] = intel_sub_group_block_read_uc(in + 4 * first + 2); // FAULT
}

kernel void fixed(global const uchar* in, global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  out[get_global_id(0)] = intel_sub_group_block_read_uc(in + 4 * first + 4);
}
