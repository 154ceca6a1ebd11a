// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers under conditions that are the same for the whole work-group: from an argument, from memory, from the group id.
kernel void conditions(global int* out, local int* shared, int mode, global const int* modes) {
  const int l = get_local_id(0), n = get_local_size(0), g = get_group_id(0);
  shared[l] = l * 3;
  int value = -1;
  if (mode == 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    value = shared[(l + 1) % n];
  } else if (modes[g % 4] > 0) {
    barrier(CLK_LOCAL_MEM_FENCE);
    value = shared[(l + 2) % n] + 1000;
    if (g & 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      shared[l] = value;
      barrier(CLK_LOCAL_MEM_FENCE);
      value = shared[n - 1 - l] + 5000;
    }
  }
  out[get_global_id(0)] = value;
}
