; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A guard on which the first and the last lane agree is a branch of all lanes, without masks.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: agree:
; CHECK: %[[FIRST:.*]] = trunc i64 %{{.*}} to i32
; CHECK: %[[LAST:.*]] = add i32 %[[FIRST]], %{{.*}}
; CHECK: icmp sle i32 %[[FIRST]], %[[LAST]]
; CHECK: %[[OF_FIRST:.*]] = icmp slt i32 %[[FIRST]], %n
; CHECK: %[[OF_LAST:.*]] = icmp slt i32 %[[LAST]], %n
; CHECK: icmp eq i1 %[[OF_FIRST]], %[[OF_LAST]]
; CHECK: call void @k.fallback(
; CHECK: br i1 %[[OF_FIRST]], label
; CHECK-NOT: masked
; CHECK: store <4 x i32>
; CHECK-NOT: masked
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK: icmp slt <4 x i32> %{{.*}}
; CHECK: masked.store
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %less = icmp slt i32 %i, %n
  br i1 %less, label %then, label %end

then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 1, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
