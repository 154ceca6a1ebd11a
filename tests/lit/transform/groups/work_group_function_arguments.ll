; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=work-group-function %s | %check
; Arguments lie in the block one after the other, each at a multiple of its alignment: int 0, double3 32 to 64,
; struct at 64, global pointer 80, offset of local memory 88. Structs are passed by their address in the block.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

%s = type { i32, i32, i32 }

; CHECK-LABEL: @clotho_wg_k(
; CHECK: %[[BLOCK:.*]] = load ptr, ptr %{{.*}}, !invariant.load
; CHECK: %[[A:.*]] = load i32, ptr %{{.*}}, align 4, !invariant.load
; CHECK: %[[AT32:.*]] = getelementptr inbounds i8, ptr %[[BLOCK]], i64 32
; CHECK: load <3 x double>, ptr %[[AT32]], align 32, !invariant.load
; CHECK: %[[STRUCT:.*]] = getelementptr inbounds i8, ptr %[[BLOCK]], i64 64
; CHECK: %[[AT80:.*]] = getelementptr inbounds i8, ptr %[[BLOCK]], i64 80
; CHECK: load ptr addrspace(1), ptr %[[AT80]], align 8
; CHECK: %[[AT88:.*]] = getelementptr inbounds i8, ptr %[[BLOCK]], i64 88
; CHECK: %[[OFFSET:.*]] = load i64, ptr %[[AT88]], align 8
; CHECK: getelementptr inbounds i8, ptr addrspace(3) %{{.*}}, i64 %[[OFFSET]]
; CHECK: call void @k.cl({{.*}}i32 %[[A]],{{.*}}ptr %[[STRUCT]],
define spir_kernel void @k(i32 %a, <3 x double> %v, ptr noalias readonly byval(%s) align 4 %s, ptr addrspace(1) noalias %g, ptr addrspace(3) %l) {
  ret void
}
