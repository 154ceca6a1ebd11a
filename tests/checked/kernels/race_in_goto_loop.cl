// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// args: int[64]=0
// Barriers are met in a loop that has two ways in.
kernel void faulty(global int* data) {
  int i = get_global_id(0), round = 0;
  if (get_global_size(0) > 32)
    goto second;
first:
  data[i] += 1; // ALSO
  data[i ^ 1] += 1; // FAULT
second:
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (++round < 12)
    goto first;
}

kernel void fixed(global int* data) {
  int i = get_global_id(0), round = 0;
  if (get_global_size(0) > 32)
    goto second;
first:
  data[i] += 1;
second:
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (++round < 12)
    goto first;
}
