// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// says: read of 2 bytes, 4 bytes before argument 0 'in' \(1024 bytes\)[\s\S]*work-item \(0, 0, 0\)
// args: ushort[512] int[64]
kernel void faulty(global const ushort* in, global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  const ushort2 part = intel_sub_group_block_read_us2(in + 2 * first - 2); // FAULT
  out[get_global_id(0)] = part.x + part.y;
}

kernel void fixed(global const ushort* in, global uint* out) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  const ushort2 part = intel_sub_group_block_read_us2(in + 2 * first);
  out[get_global_id(0)] = part.x + part.y;
}
