; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Affine and uniform values are mostly different in all lanes: what is chosen where they are equal is forgotten. Whether
; the one is among the others is asked by their unsigned distance.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: agree:
; CHECK: %[[LANES:.*]] = phi i64
; CHECK: %[[SPAN:.*]] = sub i64 %[[LANES]], 1
; CHECK: %[[DISTANCE:.*]] = sub i64 %n, %{{.*}}
; CHECK: icmp ugt i64 %[[DISTANCE]], %[[SPAN]]
; CHECK: call void @k.fallback(
; CHECK-NOT: select
; CHECK: %[[ID:.*]] = add i64 %own, 0
; CHECK: %[[P:.*]] = getelementptr i32, ptr addrspace(1) %a, i64 %[[ID]]
; CHECK: load <4 x i32>, ptr addrspace(1) %[[P]]
; CHECK-NOT: select
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK: select <4 x i1>
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %first = icmp eq i64 %lid, %n
  %at = select i1 %first, i64 77, i64 %lid
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %x = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %lid
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
