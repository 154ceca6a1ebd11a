; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=remainder-kernels,vectorise,work-group-function %s | %check
; A remainder kernel is as wide as the kernel that it completes, runs all its rows under masks, and has no other version.
; The range function calls it for boxes of work-groups that are smaller than the enqueued ones.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.local_size(i32) #0

; CHECK-NOT: @k.remainder.predicated
; CHECK: define internal void @k.cl(
; CHECK: trunc i64 8 to i32
; CHECK: store <8 x i32>
; CHECK-NOT: @k.remainder.predicated
; CHECK: define internal void @k.remainder.cl(
; CHECK: %[[SIZE:.*]] = load i64, ptr
; CHECK: trunc i64 %[[SIZE]] to i32
; CHECK: masked.store.v8i32
; CHECK-NOT: @k.remainder.predicated
; CHECK: define dso_local void @clotho_wg_k(
; CHECK: getelementptr inbounds i8, ptr %launch, i64 64
; CHECK: getelementptr inbounds i8, ptr %launch, i64 64
; CHECK-NEXT: %[[BOX_SIZE:.*]] = load i64, ptr
; CHECK-NEXT: getelementptr inbounds i8, ptr %launch, i64 120
; CHECK-NEXT: %[[ENQUEUED:.*]] = load i64, ptr
; CHECK: icmp ne i64 %[[BOX_SIZE]], %[[ENQUEUED]]
; CHECK: br i1 %{{.*}}, label %[[REMAINDER:.*]], label %[[FULL:.*]]
; CHECK: [[FULL]]:
; CHECK-NEXT: call void @k.cl(
; CHECK: [[REMAINDER]]:
; CHECK-NEXT: call void @k.remainder.cl(
; CHECK-NOT: @k.remainder.predicated
; CHECK-NOT: @clotho_wg_k.remainder
define spir_kernel void @k(ptr addrspace(1) %a) !reqd_work_group_size !0 {
  %lid = call i64 @clotho.local_id(i32 0)
  %size = call i64 @clotho.local_size(i32 0)
  %value = trunc i64 %size to i32
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 %value, ptr addrspace(1) %p, align 4
  ret void
}

!0 = !{i32 8, i32 1, i32 1}

attributes #0 = { nounwind willreturn speculatable memory(none) }
