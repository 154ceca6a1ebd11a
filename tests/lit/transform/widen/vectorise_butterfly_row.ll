; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; data[i ^ stride] is a row in another order where i begins at a multiple of the width, which is asked for.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[WITHIN:.*]] = and i64 %x{{.*}}, 3
; CHECK: icmp eq i64 %[[WITHIN]], 0
; CHECK: %[[STRIDE:.*]] = and i64 %stride, 3
; CHECK: switch i64 %[[STRIDE]], label %butterfly.other [
; CHECK-NEXT: i64 0, label %{{.*}}
; CHECK-NEXT: i64 1, label %[[ONE:.*]]
; CHECK-NEXT: i64 2, label %[[TWO:.*]]
; CHECK-NEXT: ]
; CHECK: butterfly.other:
; CHECK: select i1 %{{.*}}, <4 x float> %{{.*}}, <4 x float> %
; CHECK: [[ONE]]:
; CHECK: %[[ROW:.*]] = load <4 x float>, ptr addrspace(1)
; CHECK: shufflevector <4 x float> %[[ROW]], <4 x float> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
; CHECK: [[TWO]]:
; CHECK: shufflevector <4 x float> %{{.*}}, <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %stride) {
  %lid = call i64 @clotho.local_id(i32 0)
  %partner = xor i64 %lid, %stride
  %p = getelementptr float, ptr addrspace(1) %in, i64 %partner
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %x, ptr addrspace(1) %q, align 4
  ret void
}

; No index: nothing is asked.
; CHECK-LABEL: define spir_kernel void @hash(
; CHECK-NOT: {{icmp eq i64 .*, 0}}
; CHECK-NOT: switch
; CHECK-LABEL: }
define spir_kernel void @hash(ptr addrspace(1) %out, i64 %seed) {
  %lid = call i64 @clotho.local_id(i32 0)
  %mixed = xor i64 %lid, %seed
  %q = getelementptr i64, ptr addrspace(1) %out, i64 %lid
  store i64 %mixed, ptr addrspace(1) %q, align 8
  ret void
}

attributes #0 = { nounwind speculatable willreturn memory(none) }
