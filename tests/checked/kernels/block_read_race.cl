// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// says: race: (read|write) of 4 bytes of argument 0 'data'
// args: int[64]
kernel void faulty(global uint* data) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  const uint next = intel_sub_group_block_read(data + (first + 16) % 64); // ALSO
  data[get_global_id(0)] = next; // FAULT
}

kernel void fixed(global uint* data) {
  const size_t first = get_global_id(0) - get_sub_group_local_id(); // of the sub-group
  const uint next = intel_sub_group_block_read(data + first);
  data[get_global_id(0)] = next;
}
