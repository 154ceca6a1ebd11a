; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Bits from the middle of a 64-bit number stay in 64 bits; an index is left as it is.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: @middle(
; CHECK: %[[SHIFTED:.*]] = lshr <4 x i64> %{{.*}}, splat (i64 16)
; CHECK: and <4 x i64> %[[SHIFTED]], splat (i64 65535)
; CHECK: lshr <4 x i32>
; CHECK: zext <4 x i32>
; CHECK-LABEL: }
define spir_kernel void @middle(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr addrspace(1) %table) {
  %lid = call i64 @clotho.local_id(i32 0)
  %from = getelementptr i64, ptr addrspace(1) %in, i64 %lid
  %number = load i64, ptr addrspace(1) %from
  %low = trunc i64 %number to i32
  %bits = lshr i32 %low, 16
  %again = zext i32 %bits to i64
  %square = mul i64 %again, %again
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %lid
  store i64 %square, ptr addrspace(1) %to
  %other = trunc i64 %number to i32
  %high = lshr i32 %other, 28
  %index = zext i32 %high to i64
  %entry = getelementptr i64, ptr addrspace(1) %table, i64 %index
  %value = load i64, ptr addrspace(1) %entry
  %next = getelementptr i64, ptr addrspace(1) %to, i64 1000
  store i64 %value, ptr addrspace(1) %next
  ret void
}

attributes #0 = { nounwind memory(none) }
