; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes="vectorise-4,function(isolate-barriers),work-group-function" %s | %check
; A sub-group that reaches past the end of its row is left to the predicated variant, by a call for that sub-group
; alone. With a barrier all sub-groups must be of one function: the range function asks once whether rows are full
; sub-groups, and calls the function of the predicated variant where not. Of a kernel that does not ask for rows, the
; predicated variant also runs work-groups of several, so that the other function has no loops over them.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.local_size(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: define internal void @k.cl(
; CHECK-SAME: i64 %row_end, ptr addrspace(1) %a)
; CHECK: %[[X:.*]] = phi i64 [ %local_id.x, %
; CHECK: %[[END:.*]] = add i64 %[[X]], %lanes
; CHECK: %[[FULL:.*]] = icmp ule i64 %[[END]], %row_end
; CHECK: br i1 %[[FULL]], label
; CHECK: %[[NEXT:.*]] = add nuw i64 %[[X]], 4
; CHECK: %[[ITS_END:.*]] = call i64 @llvm.umin.i64(i64 %row_end, i64 %[[NEXT]])
; CHECK: call void @k.predicated.cl(ptr %launch, ptr %context, ptr %frame, i64 %group.x, i64 %group.y, i64 %group.z, i64 %[[ITS_END]], i64 %[[X]], i64 %local_id.y, i64 %local_id.z, ptr addrspace(1) %a)
; CHECK: store <4 x i32> splat (i32 1)
; CHECK-LABEL: define internal void @k.predicated.cl(
; CHECK-SAME: i64 %row_end, i64 %x, i64 %y, i64 %z, ptr addrspace(1) %a)
; CHECK: %[[LEFT:.*]] = sub i64 %row_end, %x
; CHECK: %row = icmp ult <4 x i32> <i32 0, i32 1, i32 2, i32 3>,
; CHECK-NOT: phi
; CHECK: masked.store.v4i32{{.*}}<4 x i1> %row)
; CHECK-LABEL: define {{.*}}void @clotho_wg_k(
; CHECK-NOT: call void @k.predicated.cl(
; CHECK: call void @k.cl(
; CHECK-NOT: call void @k.predicated.cl(
; CHECK-NOT: @k.fallback
define spir_kernel void @k(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

; CHECK-LABEL: define internal void @barrier.cl(
; CHECK-NOT: i64 72
; CHECK-NOT: i64 80
; CHECK: ret void
; CHECK-LABEL: define {{.*}}void @clotho_wg_barrier(
; CHECK: %[[SIZE:.*]] = load i64, ptr
; CHECK: %[[REST:.*]] = and i64 %[[SIZE]], 3
; CHECK: %[[SHORT:.*]] = icmp ne i64 %[[REST]], 0
; CHECK: %[[SIZES:.*]] = or i64 %{{.*}}, %{{.*}}
; CHECK: %[[SEVERAL:.*]] = icmp ne i64 %[[SIZES]], 1
; CHECK: %[[ANY:.*]] = or i1 %[[SHORT]], %[[SEVERAL]]
; CHECK: br i1 %[[ANY]], label %[[PREDICATED:.*]], label %[[FULL:.*]]
; CHECK: [[FULL]]:
; CHECK-NEXT: call void @barrier.cl(
; CHECK: [[PREDICATED]]:
; CHECK-NEXT: call void @barrier.predicated.cl(
define spir_kernel void @barrier(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  call void @clotho.barrier()
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

; CHECK-LABEL: define internal void @rows.cl(
; CHECK: i64 72
; CHECK-LABEL: define {{.*}}void @clotho_wg_rows(
; CHECK: %[[SHORT:.*]] = icmp ne i64 %{{.*}}, 0
; CHECK: br i1 %[[SHORT]], label %{{.*}}, label %{{.*}}
define spir_kernel void @rows(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %row = call i64 @clotho.local_id(i32 1)
  %p = getelementptr [64 x i32], ptr addrspace(1) %a, i64 %row, i64 %lid
  call void @clotho.barrier()
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

; The linear local id is no question for rows.
; CHECK-LABEL: define internal void @linear.cl(
; CHECK-NOT: i64 72
; CHECK: ret void
; CHECK-LABEL: define {{.*}}void @clotho_wg_linear(
; CHECK: %several_rows = icmp ne i64
define spir_kernel void @linear(ptr addrspace(1) %a) {
  %z = call i64 @clotho.local_id(i32 2)
  %rows = call i64 @clotho.local_size(i32 1)
  %slice = mul nuw nsw i64 %z, %rows
  %y = call i64 @clotho.local_id(i32 1)
  %row = add nuw nsw i64 %slice, %y
  %width = call i64 @clotho.local_size(i32 0)
  %begin = mul nuw nsw i64 %row, %width
  %x = call i64 @clotho.local_id(i32 0)
  %index = add nuw nsw i64 %begin, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %index
  call void @clotho.barrier()
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
