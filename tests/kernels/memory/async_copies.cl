// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void copies(global const float* in, global float* out, local float* tile) {
  const int n = get_local_size(0), g = get_group_id(0);
  event_t arrived = async_work_group_copy(tile, in + g * n, n, 0);
  wait_group_events(1, &arrived);
  const float mine = tile[n - 1 - get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[get_local_id(0)] = mine * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t left = async_work_group_copy(out + g * n, (const local float*)tile, n, 0);
  wait_group_events(1, &left);
}
