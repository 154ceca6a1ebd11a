; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes="vectorise-4,function(isolate-barriers),work-group-function" %s | %check
; The range function asks once whether rows are full sub-groups, and calls the function of the twin where not.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define {{.*}}void @clotho_wg_k(
; CHECK: %[[SIZE:.*]] = load i64, ptr
; CHECK: %[[REST:.*]] = and i64 %[[SIZE]], 3
; CHECK: %[[SHORT:.*]] = icmp ne i64 %[[REST]], 0
; CHECK: br i1 %[[SHORT]], label %[[TWIN:.*]], label %[[FULL:.*]]
; CHECK: [[FULL]]:
; CHECK-NEXT: call void @k.cl(
; CHECK: [[TWIN]]:
; CHECK-NEXT: call void @k.short.cl(
define spir_kernel void @k(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
