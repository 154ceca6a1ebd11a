// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_80 --emit asm --options "-cl-std=CL3.0 -cl-uniform-work-group-size" %s | %check
// RUN: %compile --gpu sm_80 --emit asm --options "-cl-std=CL3.0 -cl-uniform-work-group-size" %s | %check --check-prefix=ORDER
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

// The lane that reserves for its sub-group has acquired the packets: the warp's barrier orders the other lanes behind it.
// CHECK: .visible .entry reserves(
// CHECK: call.uni {{.*}}reserve_read
// CHECK-NOT: shfl
// CHECK: bar.warp.sync
// CHECK: shfl.sync.idx.b32
// CHECK: bar.warp.sync
// CHECK: call.uni {{.*}}pipe_$_commit
// CHECK: ret;
kernel void reserves(read_only pipe int p, global int* out) {
  reserve_id_t id = sub_group_reserve_read_pipe(p, get_sub_group_size());
  if (!is_valid_reserve_id(id)) return;
  int x = -1;
  if (read_pipe(p, id, get_sub_group_local_id(), &x) == 0) out[get_global_id(0)] = x;
  sub_group_commit_read_pipe(p, id);
}

// Packets are there when a release publishes the run that they are in, and the lane that takes them acquires the run. The
// other lanes see them since the barrier of the warp orders their accesses with its own.
// ORDER: .func clotho_$_pipe_$_once_$_commit(
// ORDER: st.release.gpu.global.b64
// ORDER: .func (.param .b64 func_retval0) clotho_$_pipe_$_once_$_take_read(
// ORDER: ld.acquire.gpu.global.b64 {{.*}}+256];
// ORDER: ld.acquire.gpu.global.b64 {{.*}}+384];
// ORDER: atom.release.gpu.global.cas.b64
// ORDER: atom.acq_rel.gpu.global.cas.b64 {{.*}}+256]
// A lane that finds others at the place sleeps.
// ORDER: call.uni clotho_$_pipe_$_pass
// ORDER: ret;
// ORDER: .func clotho_$_pipe_$_pass(
// ORDER: nanosleep.u32
