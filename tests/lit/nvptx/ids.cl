// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit llvm --options -cl-std=CL3.0 %s | %check

// Group ids are counted from the first group of the grid, global ids from its first work-item.
// CHECK-LABEL: define ptx_kernel void @group(
// CHECK-DAG: %[[INDEX:.*]] = {{.*}}call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
// CHECK-DAG: %[[WIDE:.*]] = zext nneg i32 %[[INDEX]] to i64
// CHECK-DAG: getelementptr inbounds {{.*}}i8, ptr %launch, i64 72
// CHECK: add nuw {{.*}}i64 %{{.*}}%[[WIDE]]
kernel void group(global ulong* out) { *out = get_group_id(0); }

// CHECK-LABEL: define ptx_kernel void @global_id(
// CHECK-DAG: call range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
// CHECK-DAG: getelementptr inbounds {{.*}}i8, ptr %launch, i64 132
// CHECK-DAG: getelementptr inbounds {{.*}}i8, ptr %launch, i64 104
// CHECK-DAG: call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y()
kernel void global_id(global ulong* out) { *out = get_global_id(1); }

// CHECK-LABEL: define ptx_kernel void @local_id(
// CHECK: call range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.z()
kernel void local_id(global ulong* out) { *out = get_local_id(2); }

// CHECK-LABEL: define ptx_kernel void @sizes(
// CHECK-DAG: getelementptr inbounds {{.*}}i8, ptr %launch, i64 48
// CHECK-DAG: getelementptr inbounds {{.*}}i8, ptr %launch, i64 32
// CHECK-DAG: getelementptr inbounds {{.*}}i8, ptr %launch, i64 140
// CHECK-DAG: getelementptr inbounds {{.*}}i8, ptr %launch, i64 132
// CHECK-DAG: call range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
kernel void sizes(global ulong* out) {
  out[0] = get_num_groups(0);
  out[1] = get_global_size(1);
  out[2] = get_work_dim();
  out[3] = get_enqueued_local_size(1);
  out[4] = get_local_size(1);
}

// Work-groups of one work-item along a dimension need no id there.
// CHECK-LABEL: define ptx_kernel void @required(
// CHECK-NOT: tid.y
// CHECK: ret void
__attribute__((reqd_work_group_size(8, 1, 1))) kernel void required(global ulong* out) { *out = get_local_id(1); }
