// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void reverse(global int* data, local int* tile) {
  const int l = get_local_id(0);
  tile[l] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tile[get_local_size(0) - 1 - l];
}
