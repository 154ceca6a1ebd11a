// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_80 --emit asm --options "-cl-std=CL3.0 -cl-uniform-work-group-size" %s | %check
// The lanes that take part are told by votes before branches, not by those that the hardware has together.

// Lanes that leave a loop take part with those that leave in the same iteration, though LLVM has their block behind the
// loop, where lanes of all iterations meet.
// CHECK: .visible .entry leaves(
// CHECK-NOT: activemask
// CHECK: vote.sync.ballot.b32 %[[LEAVE:r[0-9]+]],
// CHECK: redux.sync.add.s32 %{{r[0-9]+}}, %{{r[0-9]+}}, %[[LEAVE]];
// CHECK-NOT: activemask
// CHECK: ret;
kernel void leaves(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int found = 0;
  for (int round = 0; round < 8; ++round)
    if (a[i] % 8 == round) {
      found = sub_group_non_uniform_reduce_add(a[i]) + 100 * round;
      break;
    }
  out[i] = found;
}

// Each iteration votes which lanes are still in the loop.
// CHECK: .visible .entry stays(
// CHECK-NOT: activemask
// CHECK: redux.sync.add.s32 %{{r[0-9]+}}, %{{r[0-9]+}}, %[[IN:r[0-9]+]];
// CHECK: vote.sync.ballot.b32 %{{r[0-9]+}}, %{{p[0-9]+}}, %[[IN]];
// CHECK-NOT: activemask
// CHECK: ret;
kernel void stays(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int seen = 0, round = 0;
  do
    seen += sub_group_non_uniform_reduce_add(a[i]);
  while (++round < a[i]);
  out[i] = seen;
}

// Lanes that leave the loop within a branch meet the others, which go on to a function, before they do.
// CHECK: .visible .entry meets(
// CHECK-NOT: activemask
// CHECK-COUNT-2: redux.sync.add.s32
// CHECK-NOT: activemask
// CHECK: ret;
kernel void meets(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int seen = 0;
  for (int round = 0; round < 8; ++round) {
    if (a[i] % 4 == round) {
      if (a[i] % 8 == 0) {
        seen += 1000 * sub_group_non_uniform_reduce_add(a[i]);
        break;
      }
      out[i] = round;
    }
    seen += sub_group_non_uniform_reduce_add(a[i] + round);
  }
  out[i] += seen;
}

// Functions that all work-items need to reach are of those that have not returned, in code with branches, too.
// CHECK: .visible .entry returns(
// CHECK: vote.sync.ballot.b32 %[[STAY:r[0-9]+]],
// CHECK: redux.sync.max.s32 %{{r[0-9]+}}, %{{r[0-9]+}}, %[[STAY]];
kernel void returns(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  if (a[i] & 1) return;
  out[i] = sub_group_reduce_max(a[i]);
}

// Some lanes of a warp take what those before them have; there are no more than five steps.
// CHECK: .visible .entry chains(
// CHECK: vote.sync.ballot.b32 %[[CASE:r[0-9]+]],
// CHECK-COUNT-10: shfl.sync.idx.b32 {{.*}}, %[[CASE]];
// CHECK-NOT: shfl
// CHECK: ret;
kernel void chains(global float* a) {
  const size_t i = get_global_id(0);
  if (a[i] > 0) a[i] = sub_group_non_uniform_scan_inclusive_add(a[i]);
}

// Results of sub-group functions are the same for the warp.
// CHECK: .visible .entry votes(
// CHECK-COUNT-2: vote.sync.ballot
// CHECK-NOT: vote
// CHECK: ret;
kernel void votes(global int* a) {
  const size_t i = get_global_id(0);
  while (sub_group_any(a[i] > 5)) a[i] -= sub_group_ballot(a[i] & 1).x & 7;
}

// A loop with two entries gets one, and its iterations vote like others.
// CHECK: .visible .entry two_entries(
// CHECK-NOT: activemask
// CHECK: vote.sync.ballot.b32
// CHECK: redux.sync.add.s32
// CHECK-NOT: activemask
kernel void two_entries(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int n = a[i], sum = 0;
  if (n & 1) goto middle;
top:
  sum += sub_group_non_uniform_reduce_add(n);
middle:
  n -= 3;
  if (n > 0) goto top;
  out[i] = sum;
}

// Lanes that leave a loop in different iterations meet behind it: they are those that came to it.
// CHECK: .visible .entry behind(
// CHECK-NOT: activemask
// CHECK: vote.sync.ballot.b32 %[[CAME:r[0-9]+]],
// CHECK-NOT: vote.sync
// CHECK: redux.sync.add.s32 %{{r[0-9]+}}, %{{r[0-9]+}}, %[[CAME]];
// CHECK: ret;
kernel void behind(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int found = 0;
  if (a[i] & 1) {
    for (int round = 0; round < a[i] % 8; ++round) found += a[round];
    found += sub_group_non_uniform_reduce_add(a[i]);
  }
  out[i] = found;
}
