// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kind: memory
// launch: global=64 local=16
// args: float[192]=i float[64]
kernel void faulty(global const float* in, global float* out) {
  local float t[16];
  event_t e = async_work_group_strided_copy(t, in + get_group_id(0) * 48, 16, 4, 0); // FAULT
  wait_group_events(1, &e);
  out[get_global_id(0)] = t[get_local_id(0)]; // ALSO
}

kernel void fixed(global const float* in, global float* out) {
  local float t[16];
  event_t e = async_work_group_strided_copy(t, in + get_group_id(0) * 48, 16, 3, 0);
  wait_group_events(1, &e);
  out[get_global_id(0)] = t[get_local_id(0)];
}
