// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void reduce(global const TYPE* in, global TYPE* out) {
  out[get_global_id(0)] = work_group_reduce_OPERATION(in[get_global_id(0)]);
}

kernel void inclusive(global const TYPE* in, global TYPE* out) {
  out[get_global_id(0)] = work_group_scan_inclusive_OPERATION(in[get_global_id(0)]);
}

kernel void exclusive(global const TYPE* in, global TYPE* out) {
  out[get_global_id(0)] = work_group_scan_exclusive_OPERATION(in[get_global_id(0)]);
}
