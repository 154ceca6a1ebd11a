; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=work-group-function %s | %check
; reqd_work_group_size makes the loops' bounds constants.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK-LABEL: define internal void @k.cl(
; CHECK: x.next:
; CHECK: icmp ult i64 %{{.*}}, 8
; CHECK: y.next:
; CHECK: icmp ult i64 %{{.*}}, 4
; CHECK: z.next:
; CHECK: icmp ult i64 %{{.*}}, 2
define spir_kernel void @k() !reqd_work_group_size !0 {
  ret void
}

!0 = !{i32 8, i32 4, i32 2}
