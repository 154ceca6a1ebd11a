// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void fences(global int* out, local int* shared) {
  const int l = get_local_id(0);
  shared[l] = l;
  mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  read_mem_fence(CLK_LOCAL_MEM_FENCE);
  write_mem_fence(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = shared[l] * 2;
}
