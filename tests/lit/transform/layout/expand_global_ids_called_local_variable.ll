; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=expand-global-ids %s | %check
; A local variable of a function that can be called may be used by any kernel: none is marked.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

@f.shared = internal addrspace(3) global i32 undef, align 4

declare i64 @clotho.global_id(i32) #0

; CHECK-NOT: clotho-merged-row
; CHECK: define spir_kernel void @k(
; CHECK: %global_id = add nuw i64
; CHECK-NOT: clotho-merged-row
define spir_kernel void @k(ptr addrspace(1) %a) {
  %id = call i64 @clotho.global_id(i32 0)
  call spir_func void @f()
  ret void
}

define spir_func void @f() {
  store i32 1, ptr addrspace(3) @f.shared
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
