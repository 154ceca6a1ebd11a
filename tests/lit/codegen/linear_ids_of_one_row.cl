// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --options -cl-std=CL3.0 --emit=llvm --cpu x86-64-v4 | %check
// By linear ids a work-group of one row is gone through as by ids in the row: loops over sub-groups are known as such.

// CHECK-LABEL: define internal void @lin.cl(
// CHECK: fadd <16 x float>
// CHECK: ret void
// CHECK: clotho.sub_groups
kernel void lin(global const float* in, global float* sums, local float* t) {
  int l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1), g = get_group_id(0);
  t[l] = in[g * n + l];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int h = n / 2; h; h >>= 1) {
    if (l < h) t[l] += t[l + h];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) sums[g] = t[0];
}
