// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: barrier
// launch: global=64 local=16
// args: int[64] int:60
kernel void faulty(global int* out, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  out[i] = i;
  barrier(CLK_GLOBAL_MEM_FENCE); // FAULT
  out[i] += 1;
}

kernel void fixed(global int* out, int n) {
  int i = get_global_id(0);
  if (i < n)
    out[i] = i;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i < n)
    out[i] += 1;
}
