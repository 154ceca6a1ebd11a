// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// options: -cl-std=CL3.0
// args: int[256]=i
#pragma OPENCL EXTENSION cl_khr_extended_async_copies : enable

kernel void faulty(global int* out) {
  local int tile[16];
  tile[get_local_id(0)] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy_3D3D(out, 16 * get_group_id(0), tile, 0, 4, 2, 2, 2, 4, 8, 100, 200, 0); // FAULT
  wait_group_events(1, &e);
}

kernel void fixed(global int* out) {
  local int tile[16];
  tile[get_local_id(0)] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy_3D3D(out, 16 * get_group_id(0), tile, 0, 4, 2, 2, 2, 4, 8, 4, 8, 0);
  wait_group_events(1, &e);
}
