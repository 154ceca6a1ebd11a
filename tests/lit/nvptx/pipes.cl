// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_80 --emit asm --options "-cl-std=CL3.0 -cl-uniform-work-group-size" %s | %check
// One lane takes packets for all that are there, and they copy one each. All have copied when it commits.

// Places and runs are for the device alone.
// CHECK-NOT: {{atom|fence}}{{.*}}.sys
// CHECK: .visible .entry reads(
// CHECK: vote.sync.ballot.b32 %[[THERE:r[0-9]+]],
// CHECK: bar.warp.sync %[[THERE]];
// CHECK: call.uni {{.*}}take_read
// CHECK: bar.warp.sync %[[THERE]];
// CHECK: shfl.sync.idx.b32 {{.*}}, %[[THERE]];
// CHECK: bar.warp.sync %[[THERE]];
// CHECK: {{call.uni .*|clotho.*}}commit
// CHECK: bar.warp.sync %[[THERE]];
// CHECK-NOT: activemask
// CHECK: ret;
kernel void reads(read_only pipe int p, global int* out) {
  int x = -1;
  if (out[get_global_id(0)] > 5 && read_pipe(p, &x) == 0) out[get_global_id(0)] = x;
}
