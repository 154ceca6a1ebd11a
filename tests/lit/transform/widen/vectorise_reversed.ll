; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Lanes that go backwards through memory: a load of all from the last lane's place on, turned round.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[END:.*]] = getelementptr i32, ptr addrspace(1) %{{.*}}, i64 -3
; CHECK: %[[L:.*]] = load <4 x i32>, ptr addrspace(1) %[[END]], align 4
; CHECK: shufflevector <4 x i32> %[[L]], <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK: %[[MASK:.*]] = shufflevector <4 x i1> %row, <4 x i1> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
; CHECK: masked.load.v4i32{{.*}}<4 x i1> %[[MASK]]
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = sub i64 99, %lid
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %lid
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}

; What InstCombine makes of `n - 1 - i`.
; CHECK-LABEL: define spir_kernel void @complement(
; CHECK: getelementptr i32, ptr addrspace(1) %{{.*}}, i64 -3
; CHECK: store <4 x i32>
; CHECK-LABEL: define internal spir_func void @complement.predicated(
define spir_kernel void @complement(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %not = xor i64 %lid, -1
  %i = add i64 %not, %n
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
