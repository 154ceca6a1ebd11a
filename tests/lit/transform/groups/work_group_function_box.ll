; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=work-group-function %s | %check
; The range function counts through a box of work-groups, from its first ids to its ends. Where a group begins follows
; from the enqueued size, not from the size that the groups of the box have.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.group_base(i32) #0
declare i64 @clotho.local_size(i32) #0

; CHECK-LABEL: define internal void @k.cl(
; CHECK-DAG: %[[AT:.*]] = getelementptr inbounds i8, ptr %launch, i64 120
; CHECK-DAG: %[[ENQUEUED:.*]] = load i64, ptr %[[AT]]
; CHECK-DAG: mul nuw i64 %group.x, %[[ENQUEUED]]
; CHECK-DAG: %[[OF_SIZE:.*]] = getelementptr inbounds i8, ptr %launch, i64 64
; CHECK-DAG: %[[SIZE:.*]] = load i64, ptr %[[OF_SIZE]]
; CHECK: store i64 %[[SIZE]]
; CHECK-LABEL: define dso_local void @clotho_wg_k(
; CHECK: getelementptr inbounds i8, ptr %launch, i64 144
; CHECK-NEXT: %[[FIRST:.*]] = load i64
; CHECK: getelementptr inbounds i8, ptr %launch, i64 168
; CHECK-NEXT: %[[END:.*]] = load i64
; CHECK: %[[COUNT:.*]] = sub i64 %[[END]], %[[FIRST]]
; CHECK: %[[LEFT:.*]] = urem i64 %first, %[[COUNT]]
; CHECK: add i64 %[[LEFT]], %[[FIRST]]
; CHECK: call void @k.cl(
; CHECK: %[[CARRY:.*]] = icmp eq i64 %[[NEXT:.*]], %[[END]]
; CHECK: select i1 %[[CARRY]], i64 %[[FIRST]], i64 %[[NEXT]]
define spir_kernel void @k(ptr addrspace(1) %a) {
  %base = call i64 @clotho.group_base(i32 0)
  %size = call i64 @clotho.local_size(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %base
  store i64 %size, ptr addrspace(1) %p, align 8
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
