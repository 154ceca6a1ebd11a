; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; If lanes store to one address, one of them wins: the last, or one that is active.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[X:.*]] = load <4 x i32>
; CHECK: %[[LAST:.*]] = extractelement <4 x i32> %[[X]], i32 3
; CHECK: store i32 %[[LAST]], ptr addrspace(1) %one, align 4
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %row to i4
; CHECK: %[[LANE:.*]] = call i4 @llvm.cttz.i4(i4 %[[BITS]], i1 true)
; CHECK: %[[ITS:.*]] = extractelement <4 x i32> %{{.*}}, i4 %[[LANE]]
; CHECK: store i32 %[[ITS]], ptr addrspace(1) %one, align 4
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %one) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  store i32 %x, ptr addrspace(1) %one, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
