; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=work-group-function %s | %check
; Programs whose work-groups all have one size have one box per launch, with the enqueued size: nothing more is read.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.group_base(i32) #0
declare i64 @clotho.enqueued_size(i32) #0

; CHECK-NOT: ptr %launch, i64 {{1[2-9][0-9]}}
; CHECK-LABEL: define internal void @k.cl(
; CHECK-NOT: ptr %launch, i64 {{1[2-9][0-9]}}
; CHECK: getelementptr inbounds i8, ptr %launch, i64 64
; CHECK-NEXT: %[[SIZE:.*]] = load i64
; CHECK: mul nuw i64 %group.x, %[[SIZE]]
; CHECK: store i64 %[[SIZE]]
; CHECK-NOT: ptr %launch, i64 {{1[2-9][0-9]}}
; CHECK-LABEL: define dso_local void @clotho_wg_k(
; CHECK-NOT: ptr %launch, i64 {{1[2-9][0-9]}}
; CHECK: select i1 %{{.*}}, i64 0, i64 %{{.*}}
; CHECK-NOT: ptr %launch, i64 {{1[2-9][0-9]}}
define spir_kernel void @k(ptr addrspace(1) %a) {
  %base = call i64 @clotho.group_base(i32 0)
  %size = call i64 @clotho.enqueued_size(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %base
  store i64 %size, ptr addrspace(1) %p, align 8
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"clotho.uniform-work-groups", i32 1}

attributes #0 = { nounwind willreturn speculatable memory(none) }
