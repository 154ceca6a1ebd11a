; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; What all lanes read from one place is read once, and what is computed of it is computed once.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[X:.*]] = load i32, ptr addrspace(1) %n, align 4
; CHECK: %[[Y:.*]] = mul i32 %[[X]], 3
; CHECK: insertelement <4 x i32> poison, i32 %[[Y]]
; CHECK: store <4 x i32>
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %x = load i32, ptr addrspace(1) %n, align 4
  %y = mul i32 %x, 3
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 %y, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
