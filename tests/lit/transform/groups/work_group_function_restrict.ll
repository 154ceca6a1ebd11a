; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=work-group-function %s | %check
; A restrict pointer stays one; no other pointer becomes one.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK: define internal void @k.cl({{.*}}ptr addrspace(1) noalias %a, ptr addrspace(1) %b)
define spir_kernel void @k(ptr addrspace(1) noalias %a, ptr addrspace(1) %b) {
  ret void
}
