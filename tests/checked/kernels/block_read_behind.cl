// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// says: read of 4 bytes, just behind argument 0 'in' \(256 bytes\)[\s\S]*work-item \(63, 0, 0\)
// args: int[64] int[64]
kernel void faulty(global const uint* in, global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  out[get_global_id(0)] = intel_sub_group_block_read(in + first + 1); // FAULT
}

kernel void fixed(global const uint* in, global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  out[get_global_id(0)] = intel_sub_group_block_read(in + first);
}
