// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// says: read of 1 byte, .*behind argument 0 'in' \(4096 bytes\)
// args: uchar[4096] int[64]
kernel void faulty(global const uchar* in, global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  const uchar16 part = intel_sub_group_block_read_uc16(in + 64 * first + (first == 0 ? 4092 : 0)); // FAULT
  out[get_global_id(0)] = part.sf;
}

kernel void fixed(global const uchar* in, global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  const uchar16 part = intel_sub_group_block_read_uc16(in + 64 * first);
  out[get_global_id(0)] = part.sf;
}
