// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// Small whole numbers, which any order adds exactly.
kernel void sums(global const half* in, global half* total, global half* inclusive, global half* exclusive) {
  const int i = get_global_id(0);
  total[i] = work_group_reduce_add(in[i]);
  inclusive[i] = work_group_scan_inclusive_add(in[i]);
  exclusive[i] = work_group_scan_exclusive_add(in[i]);
}
kernel void extremes(global const half* in, global half* least, global half* greatest, global half* shared) {
  const int i = get_global_id(0);
  least[i] = work_group_reduce_min(in[i]);
  greatest[i] = work_group_scan_inclusive_max(in[i]);
  shared[i] = work_group_broadcast(in[i], get_local_size(0) - 1);
}
