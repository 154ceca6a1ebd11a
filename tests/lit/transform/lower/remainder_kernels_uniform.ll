; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=remainder-kernels %s | %check
; Programs with work-groups of one size have no smaller groups.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK: define spir_kernel void @sized(
; CHECK-NOT: .remainder
define spir_kernel void @sized(ptr addrspace(1) %a) !reqd_work_group_size !0 {
  store i32 1, ptr addrspace(1) %a, align 4
  ret void
}

!llvm.module.flags = !{!1}
!0 = !{i32 8, i32 1, i32 1}
!1 = !{i32 7, !"clotho.uniform-work-groups", i32 1}
