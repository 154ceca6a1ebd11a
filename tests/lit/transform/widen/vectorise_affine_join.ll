; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; After a branch that all lanes take together, an index that either way goes on by one still does. After one at which they
; part, it does not.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @together(
; CHECK-NOT: gather
; CHECK: join:
; CHECK-NEXT: %[[AT:.*]] = phi i64
; CHECK-NEXT: %[[P:.*]] = getelementptr i32, ptr addrspace(1) %a, i64 %[[AT]]
; CHECK-NEXT: load <4 x i32>, ptr addrspace(1) %[[P]]
; CHECK-NOT: gather
; CHECK-LABEL: define internal spir_func void @together.predicated(
define spir_kernel void @together(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %far, ptr addrspace(1) %c) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  br i1 %far, label %then, label %join

then:
  %there = add i64 %lid, 1000
  store i32 7, ptr addrspace(1) %c, align 4
  br label %join

join:
  %at = phi i64 [ %lid, %entry ], [ %there, %then ]
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %x = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %lid
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @apart(
; CHECK: call <4 x i32> @llvm.masked.gather
; CHECK-LABEL: define internal spir_func void @apart.predicated(
define spir_kernel void @apart(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %lid
  %y = load i32, ptr addrspace(1) %q, align 4
  %far = icmp slt i32 %y, 0
  br i1 %far, label %then, label %join

then:
  %there = add i64 %lid, 1000
  br label %join

join:
  %at = phi i64 [ %lid, %entry ], [ %there, %then ]
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %x = load i32, ptr addrspace(1) %p, align 4
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
