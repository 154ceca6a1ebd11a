; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Lanes that enter a loop with a shared bound leave it together: its test stays scalar, and it carries no mask of its own.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[C:.*]] = icmp slt <4 x i32>
; CHECK: br i1 %any, label %[[BEFORE:.*]], label %[[BEFORE]].skip
; CHECK: loop:
; CHECK-NOT: phi <4 x i1>
; CHECK: %[[I:.*]] = phi i32
; CHECK-NOT: phi <4 x i1>
; CHECK: call void @llvm.masked.store.v4i32{{.*}}<4 x i1> %[[C]]
; CHECK: %[[NEXT:.*]] = add i32 %[[I]], 1
; CHECK: %[[MORE:.*]] = icmp ult i32 %[[NEXT]], %n
; CHECK: br i1 %[[MORE]]
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %c = icmp slt i32 %x, 0
  br i1 %c, label %before, label %end

before:
  br label %loop

loop:
  %i = phi i32 [ 0, %before ], [ %next, %loop ]
  %row = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 %i, ptr addrspace(1) %row, align 4
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
