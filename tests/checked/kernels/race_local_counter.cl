// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=32
// args: int[64]=i int[64]
// says: of 'counts' at byte \d+\n(.*\n){3}  after an access by another work-item of the group, whose id was not kept
// Local memory is of one group, even where a cell no longer has the other work-item.
kernel void faulty(global const int* values, global int* out) {
  local int counts[16];
  int i = get_local_id(0);
  if (i < 16) counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  counts[values[i] % 16] += 1; // FAULT
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = counts[i % 16];
}

kernel void fixed(global const int* values, global int* out) {
  local int counts[16];
  int i = get_local_id(0);
  if (i < 16) counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&counts[values[i] % 16]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = counts[i % 16];
}
