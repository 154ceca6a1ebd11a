// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// options: -cl-std=CL3.0
// args: int[256]=i int[64]
#pragma OPENCL EXTENSION cl_khr_extended_async_copies : enable

kernel void faulty(global const int* in, global int* out) {
  local int tile[16];
  event_t e = async_work_group_copy_2D2D(tile, 0, in, 201 + get_group_id(0), 4, 4, 4, 17, 4, 0); // FAULT
  wait_group_events(1, &e);
  out[get_global_id(0)] = tile[get_local_id(0)]; // ALSO
}

kernel void fixed(global const int* in, global int* out) {
  local int tile[16];
  event_t e = async_work_group_copy_2D2D(tile, 0, in, 201 + get_group_id(0), 4, 4, 4, 16, 4, 0);
  wait_group_events(1, &e);
  out[get_global_id(0)] = tile[get_local_id(0)];
}
