; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Each lane walks along a row of its own: it loads 64 bytes at once from a scalar address, and asks for what the next
; lanes need, from the next of these addresses on.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: call void @llvm.prefetch.p1(ptr addrspace(1) %[[NEXT:.*]], i32 0
; CHECK: getelementptr i8, ptr addrspace(1) %[[NEXT]], i64
; CHECK-COUNT-3: call void @llvm.prefetch
; CHECK-COUNT-4: load <16 x float>, ptr addrspace(1)
; CHECK: @llvm.masked.gather
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %rows, ptr addrspace(1) %out, i64 %columns) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %begin = mul i64 %lid, %columns
  %row = getelementptr float, ptr addrspace(1) %rows, i64 %begin
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %p = getelementptr float, ptr addrspace(1) %row, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %x
  %next = add nuw nsw i64 %i, 1
  %on = icmp ult i64 %next, %columns
  br i1 %on, label %loop, label %done

done:
  %o = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %more, ptr addrspace(1) %o, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
