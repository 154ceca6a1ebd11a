// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_70 --emit asm --options "-cl-std=CL3.0 -cl-uniform-work-group-size" %s | %check --check-prefixes=CHECK,SM70
// RUN: %compile --gpu sm_80 --emit asm --options "-cl-std=CL3.0 -cl-uniform-work-group-size" %s | %check --check-prefixes=CHECK,SM80

// The lanes that take part are those that the work-group has in the warp.
// CHECK: .visible .entry sum(
// CHECK-NOT: activemask
// CHECK: shr.u32 %[[LIVE:r[0-9]+]],
// SM80: redux.sync.add.s32 %{{r[0-9]+}}, %{{r[0-9]+}}, %[[LIVE]];
// SM70-COUNT-6: shfl.sync.idx.b32 {{.*}} %[[LIVE]];
kernel void sum(global int* a) { a[get_local_id(0)] = sub_group_reduce_add(a[get_local_id(0)]); }

// Whole warps need no mask.
// CHECK: .visible .entry whole(
// CHECK-COUNT-5: shfl.sync.{{.*}}, -1;
// CHECK-NOT: shfl
// CHECK: ret;
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void whole(global float* a) {
  a[get_local_id(0)] = sub_group_reduce_add(a[get_local_id(0)]);
}

// CHECK: .visible .entry scans(
// CHECK-COUNT-5: shfl.sync.idx.b32
// CHECK-NOT: shfl
// CHECK: ret;
kernel void scans(global float* a) { a[get_local_id(0)] = sub_group_scan_inclusive_add(a[get_local_id(0)]); }

// Lanes that take another branch have no part in functions that allow this.
// CHECK: .visible .entry diverges(
// CHECK-NOT: activemask
// CHECK: vote.sync.ballot.b32 %[[THERE:r[0-9]+]],
// CHECK: vote.sync.ballot.b32 %{{r[0-9]+}}, %{{p[0-9]+}}, %[[THERE]];
kernel void diverges(global int* a) {
  const int i = get_local_id(0);
  if (a[i] > 7) a[i] = sub_group_ballot(a[i] & 1).x;
}

// CHECK: .visible .entry uniform(
// CHECK-NOT: activemask
// CHECK: vote.sync.ballot.b32
// CHECK-NOT: activemask
// CHECK: ret;
kernel void uniform(global int* a, int n) {
  if (n > 7) a[get_local_id(0)] = sub_group_ballot(a[get_local_id(0)] & 1).x;
}
