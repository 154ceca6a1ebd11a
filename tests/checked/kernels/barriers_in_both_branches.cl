// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: barrier
// launch: global=64 local=16
// args: int[64]
kernel void faulty(global int* out) {
  int l = get_local_id(0);
  if (l & 1)
    barrier(CLK_LOCAL_MEM_FENCE); // ALSO
  else
    barrier(CLK_LOCAL_MEM_FENCE); // FAULT
  out[get_global_id(0)] = l;
}

kernel void fixed(global int* out) {
  int l = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = l;
}
