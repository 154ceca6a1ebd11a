// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items of a group pass data on through global memory.
kernel void pass(global int* a, global int* b) {
  const int l = get_local_id(0), n = get_local_size(0), base = get_group_id(0) * n;
  a[base + l] = base + l * l;
  barrier(CLK_GLOBAL_MEM_FENCE);
  b[base + l] = a[base + (l + 3) % n];
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  a[base + l] = b[base + (l + 1) % n] + 1;
}
