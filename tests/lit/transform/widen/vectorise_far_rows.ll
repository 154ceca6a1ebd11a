; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-2 %s | %check
; Rows at 32-bit offsets may be 2^31 or more apart between two lanes, which does not fit into a signed 32-bit number.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @unsigned_row(
; CHECK: [[FAR:%.*]] = zext i32 %pitch to i64
; CHECK-NEXT: mul i64 1, [[FAR]]
define spir_kernel void @unsigned_row(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %pitch) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %row = mul nuw i32 %i, %pitch
  %index = zext i32 %row to i64
  %p = getelementptr <4 x i32>, ptr addrspace(1) %a, i64 %index
  %x = load <4 x i32>, ptr addrspace(1) %p, align 16
  %q = getelementptr <4 x i32>, ptr addrspace(1) %b, i64 %lid
  store <4 x i32> %x, ptr addrspace(1) %q, align 16
  ret void
}

; CHECK-LABEL: define spir_kernel void @signed_row(
; CHECK: [[FAR:%.*]] = sext i32 %pitch to i64
; CHECK-NEXT: mul i64 2, [[FAR]]
define spir_kernel void @signed_row(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %pitch) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %twice = shl nsw i32 %i, 1
  %odd = add nsw i32 %twice, -1
  %row = mul nsw i32 %odd, %pitch
  %index = sext i32 %row to i64
  %p = getelementptr <4 x i32>, ptr addrspace(1) %a, i64 %index
  %x = load <4 x i32>, ptr addrspace(1) %p, align 16
  %q = getelementptr <4 x i32>, ptr addrspace(1) %b, i64 %lid
  store <4 x i32> %x, ptr addrspace(1) %q, align 16
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
