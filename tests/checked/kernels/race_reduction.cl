// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: race
// launch: global=64 local=16
// args: int[64]=i int[64]
kernel void faulty(global const int* in, global int* out) {
  local int t[16];
  int l = get_local_id(0);
  t[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 8; step > 0; step /= 2)
    if (l < step)
      t[l] += t[l + step]; // FAULT
  if (l == 0)
    out[get_group_id(0)] = t[0];
}

kernel void fixed(global const int* in, global int* out) {
  local int t[16];
  int l = get_local_id(0);
  t[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 8; step > 0; step /= 2) {
    if (l < step)
      t[l] += t[l + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    out[get_group_id(0)] = t[0];
}
