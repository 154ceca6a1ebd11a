; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=prepare-kernels %s | %check
; Only kernels stay visible, and structs passed by value are copied for each work-item.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

%pair = type { i32, i32 }

; CHECK: @counter = internal addrspace(1) global i32 0
@counter = addrspace(1) global i32 0

; C99's inline without extern: its only definition.
; CHECK: define internal spir_func i32 @helper(
define available_externally spir_func i32 @helper(i32 %x) {
  ret i32 %x
}

; CHECK: define dso_local spir_kernel void @k(ptr noalias readonly byval(%pair) align 8 %s)
; CHECK: %[[COPY:.*]] = alloca %pair, align 8
; CHECK: call void @llvm.memcpy.{{.*}}(ptr align 8 %[[COPY]], ptr align 8 %s, i64 8, i1 false)
; CHECK: store i32 1, ptr %[[COPY]]
define spir_kernel void @k(ptr byval(%pair) align 8 %s) {
  store i32 1, ptr %s
  ret void
}

; Constant memory is not written while a kernel runs.
; CHECK-LABEL: define dso_local spir_kernel void @constants(
; CHECK: load i32, ptr addrspace(2) %c, align 4, !invariant.load
; CHECK: load volatile i32, ptr addrspace(2) %c, align 4{{$}}
; CHECK: load i32, ptr addrspace(1) %g, align 4{{$}}
define spir_kernel void @constants(ptr addrspace(2) %c, ptr addrspace(1) %g) {
  %a = load i32, ptr addrspace(2) %c, align 4
  %b = load volatile i32, ptr addrspace(2) %c, align 4
  %d = load i32, ptr addrspace(1) %g, align 4
  ret void
}
