; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=work-group-function %s | %check
; Each local variable becomes a parameter that aliases nothing, at an offset in the work-group's local memory.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

@k.bytes = internal addrspace(3) global [3 x i8] undef, align 1
@k.words = internal addrspace(3) global [2 x i32] undef, align 4

; CHECK: define internal void @k.cl({{.*}}ptr addrspace(3) noalias align 1 "clotho-local" %k.bytes, ptr addrspace(3) noalias align 4 "clotho-local" %k.words)
; CHECK: store i8 1, ptr addrspace(3) %k.bytes
; CHECK: %[[SECOND:.*]] = getelementptr {{.*}}ptr addrspace(3) %k.words, {{.*}}1
; CHECK: store i32 2, ptr addrspace(3) %[[SECOND]]
; CHECK-LABEL: @clotho_wg_k(
; CHECK: %local = load ptr, ptr %{{.*}}
; CHECK: %[[SPACE:.*]] = addrspacecast ptr %local to ptr addrspace(3)
; CHECK: getelementptr inbounds i8, ptr addrspace(3) %[[SPACE]], i64 0
; CHECK: getelementptr inbounds i8, ptr addrspace(3) %[[SPACE]], i64 4
; CHECK: !"local-bytes", i64 12
define spir_kernel void @k() {
  store i8 1, ptr addrspace(3) @k.bytes
  store i32 2, ptr addrspace(3) getelementptr ([2 x i32], ptr addrspace(3) @k.words, i64 0, i64 1)
  ret void
}
