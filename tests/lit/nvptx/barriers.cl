// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm --options -cl-std=CL3.0 %s | %check

// A barrier itself orders the work-group's memory; a wider scope needs fences.
// CHECK: .visible .entry own(
// CHECK-NOT: fence
// CHECK: bar.sync 0;
// CHECK-NOT: fence
// CHECK: .visible .entry wide(
// CHECK: fence.acq_rel
// CHECK-NEXT: bar.sync 0;
// CHECK-NEXT: fence.acq_rel
kernel void own(global int* out, local int* tile) {
  tile[get_local_id(0)] = out[get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  out[get_local_id(0)] = tile[0];
}
kernel void wide(global int* out) {
  out[get_local_id(0)] = 1;
  work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
  out[get_local_id(0) + 1] = 2;
}

// What other work-items write before a barrier is read after it, also through a restricted pointer.
// CHECK: .visible .entry restricted(
// CHECK: st.global
// CHECK: bar.sync 0;
// CHECK: ld.global.b32
// CHECK: st.global
kernel void restricted(global int* restrict a, global int* restrict out) {
  a[get_local_id(0)] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_local_id(0)] = a[get_local_id(0) ^ 1];
}
