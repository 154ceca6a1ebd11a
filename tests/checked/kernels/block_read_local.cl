// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// says: read of 4 bytes of 'tile' at byte 20, which were never written[\s\S]*local id \(5, 0, 0\)
// args: int[64]
// As SPIR-V may have it.
uint __attribute__((overloadable, convergent)) intel_sub_group_block_read(const local uint*);

kernel void faulty(global uint* out) {
  local uint tile[64];
  if (get_local_id(0) != 5) tile[get_local_id(0)] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  const size_t first = get_local_id(0) - get_sub_group_local_id();
  out[get_global_id(0)] = intel_sub_group_block_read(tile + first); // FAULT
}

kernel void fixed(global uint* out) {
  local uint tile[64];
  tile[get_local_id(0)] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  const size_t first = get_local_id(0) - get_sub_group_local_id();
  out[get_global_id(0)] = intel_sub_group_block_read(tile + first);
}
