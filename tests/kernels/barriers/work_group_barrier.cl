// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void pass(global int* out, local int* shared) {
  const int l = get_local_id(0), n = get_local_size(0);
  shared[l] = l + 1;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  const int value = shared[(l + 1) % n];
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_work_group);
  shared[l] = value * 2;
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device);
  out[get_global_id(0)] = shared[(l + 1) % n];
}
