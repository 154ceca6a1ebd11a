; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=work-group-function %s | %check
; The bounds of the work-group's memories are read from the worker's context, each once, before the loops.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_begin()
declare i64 @clotho.local_end()
declare i64 @clotho.frame_begin()
declare i64 @clotho.frame_end()
declare i64 @clotho.stack_begin()
declare i64 @clotho.stack_end()

; CHECK-NOT: @clotho.
; CHECK-LABEL: define internal void @k.cl(
; CHECK-SAME: ptr noalias readonly align 8 %context,
; CHECK: entry:
; CHECK: %[[AT0:.*]] = getelementptr inbounds i8, ptr %context, i64 0
; CHECK: %[[LOCAL:.*]] = load i64, ptr %[[AT0]], align 8, !invariant.load
; CHECK: %[[AT24:.*]] = getelementptr inbounds i8, ptr %context, i64 24
; CHECK: %[[LOCAL_END:.*]] = load i64, ptr %[[AT24]], align 8, !invariant.load
; CHECK: %[[AT8:.*]] = getelementptr inbounds i8, ptr %context, i64 8
; CHECK: %[[FRAME:.*]] = load i64, ptr %[[AT8]], align 8, !invariant.load
; CHECK: %[[AT32:.*]] = getelementptr inbounds i8, ptr %context, i64 32
; CHECK: %[[FRAME_END:.*]] = load i64, ptr %[[AT32]], align 8, !invariant.load
; CHECK: %[[AT40:.*]] = getelementptr inbounds i8, ptr %context, i64 40
; CHECK: %[[STACK:.*]] = load i64, ptr %[[AT40]], align 8, !invariant.load
; CHECK: %[[AT48:.*]] = getelementptr inbounds i8, ptr %context, i64 48
; CHECK: %[[STACK_END:.*]] = load i64, ptr %[[AT48]], align 8, !invariant.load
; CHECK: x:
; CHECK: store volatile i64 %[[LOCAL]],
; CHECK: store volatile i64 %[[LOCAL_END]],
; CHECK: store volatile i64 %[[FRAME]],
; CHECK: store volatile i64 %[[FRAME_END]],
; CHECK: store volatile i64 %[[STACK]],
; CHECK: store volatile i64 %[[STACK_END]],
; CHECK: store volatile i64 %[[LOCAL]],
; CHECK-LABEL: define dso_local void @clotho_wg_k(
; CHECK: call void @k.cl(ptr %launch, ptr %context, ptr
define spir_kernel void @k(ptr addrspace(1) %out) {
  %a = call i64 @clotho.local_begin()
  store volatile i64 %a, ptr addrspace(1) %out
  %b = call i64 @clotho.local_end()
  store volatile i64 %b, ptr addrspace(1) %out
  %c = call i64 @clotho.frame_begin()
  store volatile i64 %c, ptr addrspace(1) %out
  %d = call i64 @clotho.frame_end()
  store volatile i64 %d, ptr addrspace(1) %out
  %e = call i64 @clotho.stack_begin()
  store volatile i64 %e, ptr addrspace(1) %out
  %f = call i64 @clotho.stack_end()
  store volatile i64 %f, ptr addrspace(1) %out
  %g = call i64 @clotho.local_begin()
  store volatile i64 %g, ptr addrspace(1) %out
  ret void
}
