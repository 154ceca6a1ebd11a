; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A difference of values that lanes do not share is one value where their strides cancel out, and so is what is read
; there. What is promised of the difference was promised of lanes that run: lane 0, of which it is made, may not.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.sub_group_lane() #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[D:.*]] = sub i32
; CHECK: %[[S:.*]] = sext i32 %[[D]] to i64
; CHECK: %[[P:.*]] = getelementptr i32, ptr addrspace(1) %a, i64 %[[S]]
; CHECK: %[[X:.*]] = load i32, ptr addrspace(1) %[[P]], align 4
; CHECK: insertelement <4 x i32> poison, i32 %[[X]]
; CHECK: store <4 x i32>
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %moved = add i32 %i, %n
  %own = call i64 @clotho.sub_group_lane()
  %lane = trunc i64 %own to i32
  %d = sub nsw i32 %moved, %lane
  %s = sext i32 %d to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %s
  %x = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %lid
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
