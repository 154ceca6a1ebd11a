// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_80 --emit asm --options "-cl-std=CL3.0 -cl-uniform-work-group-size" %s | %check
// RUN: not %compile --gpu sm_80 --emit asm --options "-cl-std=CL3.0 -DSIZE=64" %s 2>&1 | FileCheck %s --check-prefix=SIZE

// Sub-groups of 8 and 16 work-items are parts of warps: 24 << 8 | 31 lets shuffles stay in their part.
// CHECK: .visible .entry eighths(
// CHECK: mov.b32 %[[ONES:r[0-9]+]], 255;
// CHECK: shl.b32 %[[PART:r[0-9]+]], %[[ONES]],
// CHECK-COUNT-3: shfl.sync.idx.b32 {{.*}}, 6175, %[[PART]];
// CHECK-NOT: shfl
// CHECK: ret;
__attribute__((intel_reqd_sub_group_size(8), reqd_work_group_size(64, 1, 1))) kernel void eighths(global float* a) {
  a[get_local_id(0)] = sub_group_reduce_add(a[get_local_id(0)]);
}

// The bits of a ballot are those of the part.
// CHECK: .visible .entry halves(
// CHECK: vote.sync.ballot.b32 %[[WARP:r[0-9]+]],
// CHECK: shr.u32 %[[PART:r[0-9]+]], %[[WARP]],
// CHECK: and.b32 %{{r[0-9]+}}, %[[PART]], 65535;
__attribute__((intel_reqd_sub_group_size(16))) kernel void halves(global int* a) {
  a[get_local_id(0)] = sub_group_ballot(a[get_local_id(0)] & 1).x;
}

// Functions of the work-group use whole warps.
// CHECK: .visible .entry group(
// CHECK-NOT: 6175
// CHECK: redux.sync.add
// CHECK: redux.sync.add
// CHECK: ret;
__attribute__((intel_reqd_sub_group_size(8))) kernel void group(global int* a) {
  a[get_local_id(0)] = work_group_reduce_add(a[get_local_id(0)]);
}

#ifdef SIZE
// SIZE: error: the kernel 'required' requires sub-groups of 64 work-items, this GPU has 8, 16, 32
__attribute__((intel_reqd_sub_group_size(SIZE))) kernel void required(global int* a) { *a = 1; }
#endif
