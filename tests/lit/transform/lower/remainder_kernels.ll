; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=remainder-kernels %s | %check
; A kernel with a required size gets a second one for smaller work-groups, to which the size is nothing known. Groups of
; one work-item are never smaller, and what has no required size takes any.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK-NOT: .remainder(
; CHECK: define spir_kernel void @sized(ptr addrspace(1) %a) !reqd_work_group_size !
; CHECK: define spir_kernel void @sized.remainder(ptr addrspace(1) %a) !clotho.facts ![[FACTS:[0-9]+]] {
; CHECK: store i32 1, ptr addrspace(1) %a
; CHECK-NOT: .remainder(
; CHECK: ![[FACTS]] = !{!"variant", !"remainder"}
define spir_kernel void @any(ptr addrspace(1) %a) {
  ret void
}

define spir_kernel void @one(ptr addrspace(1) %a) !reqd_work_group_size !0 {
  ret void
}

define spir_kernel void @sized(ptr addrspace(1) %a) !reqd_work_group_size !1 {
  store i32 1, ptr addrspace(1) %a, align 4
  ret void
}

!0 = !{i32 1, i32 1, i32 1}
!1 = !{i32 8, i32 1, i32 1}
