; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=work-group-function %s | %check
; The exported function names each group before running it, and counts through the groups without dividing.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK: define dso_local void @clotho_wg_k(ptr noalias readonly %launch, ptr noalias %context, i64 %first, i64 %end)
; CHECK: icmp ult i64 %first, %end
; CHECK: udiv
; CHECK: group:
; CHECK: %[[INDEX:.*]] = phi i64 [ %first, %setup ]
; CHECK-NOT: udiv
; CHECK: %[[WHERE:.*]] = getelementptr inbounds i8, ptr %context, i64 16
; CHECK: store volatile i64 %[[INDEX]], ptr %[[WHERE]]
; CHECK: call void @k.cl(
; CHECK-NOT: udiv
define spir_kernel void @k() {
  ret void
}
; CHECK-NOT: spir_kernel
; CHECK: !"kernel", !"k"
