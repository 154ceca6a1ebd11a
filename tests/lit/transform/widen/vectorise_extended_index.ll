; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; An index of 32 bits that becomes one of 64, either way, leaves the address consecutive.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @signed(
; CHECK-NOT: masked.gather
; CHECK: load <4 x i32>
; CHECK-NOT: masked.scatter
; CHECK: store <4 x i32>
; CHECK-LABEL: define internal spir_func void @signed.predicated(
define spir_kernel void @signed(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %j = add i32 %i, %n
  %s = sext i32 %j to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %s
  %x = load i32, ptr addrspace(1) %p, align 4
  %z = zext i32 %j to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %z
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
