; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Too much private memory to have it once a lane, and rows of one work-item: such kernels stay as they are.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @large(ptr addrspace(1) %a) {
; CHECK: store i32 1, ptr %there
; CHECK-LABEL: define spir_kernel void @column(ptr addrspace(1) %a) !reqd_work_group_size
; CHECK: store i32 1, ptr addrspace(1) %p
; CHECK-NOT: clotho-width
; CHECK-NOT: .predicated
define spir_kernel void @large(ptr addrspace(1) %a) {
  %array = alloca [20000 x i32], align 4
  %lid = call i64 @clotho.local_id(i32 0)
  %there = getelementptr i32, ptr %array, i64 %lid
  store i32 1, ptr %there, align 4
  %x = load i32, ptr %array, align 4
  store i32 %x, ptr addrspace(1) %a, align 4
  ret void
}

define spir_kernel void @column(ptr addrspace(1) %a) !reqd_work_group_size !0 {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

!0 = !{i32 1, i32 64, i32 1}

attributes #0 = { nounwind willreturn speculatable memory(none) }
