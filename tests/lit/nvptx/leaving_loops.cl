// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm --options -cl-std=CL3.0 %s | %check

// All lanes leave the loop by the block in which they reduce, but not in the same iteration: those that do vote first.
// CHECK: .visible .entry leaves(
// CHECK: redux.sync.add.s32 {{.*}}, [[MASK:%r[0-9]+]];
// CHECK: vote.sync.ballot.b32 [[MASK]],
// CHECK: ret;
kernel void leaves(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int round = 0;
  for (;;) {
    if (a[i] % 8 == round) {
      out[i] = sub_group_non_uniform_reduce_add(1) + 100 * round;
      break;
    }
    round += a[i] > 1000 ? a[i + 1] : 1;
  }
}

// No lane has to vote if the loop ends for all of them at once.
// CHECK: .visible .entry stays(
// CHECK-NOT: vote
// CHECK: redux.sync.add.s32
// CHECK-NOT: vote
// CHECK: ret;
kernel void stays(global int* out, int n) {
  int sum = 0;
  for (int round = 0;; ++round) {
    if (round == n) {
      sum += sub_group_non_uniform_reduce_add((int)get_sub_group_local_id());
      break;
    }
    sum += out[round];
  }
  out[get_global_id(0)] = sum;
}
