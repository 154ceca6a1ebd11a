// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// Products are of powers of two. The odd work-items are away.
kernel void nonUniform(global const half* in, global half* product, global half* before, global half* least) {
  const int i = get_global_id(0);
  if (get_sub_group_local_id() % 2 == 0) {
    product[i] = sub_group_non_uniform_reduce_mul(in[i]);
    before[i] = sub_group_non_uniform_scan_exclusive_mul(in[i]);
    least[i] = sub_group_non_uniform_scan_exclusive_min(in[i]);
  }
}
kernel void vectors(global const half* in, global half* first, global half* same) {
  const int i = get_global_id(0);
  vstore4(sub_group_broadcast(vload4(i, in), 0), i, first);
  vstore3(sub_group_non_uniform_broadcast(vload3(i, in), 0), i, same);
}
