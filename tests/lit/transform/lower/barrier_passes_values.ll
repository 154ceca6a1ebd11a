; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes="function(isolate-barriers),work-group-function" %s | %check
; A region neither loads nor computes anew what lives across it and is used behind it only: else kernels with as many
; values as barriers would become as long as the product of both.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: define internal void @k.cl(
; CHECK: %kept = load i32
; CHECK: store i32 %kept, ptr %
; CHECK-NOT: %kept
; CHECK-NOT: %place
; CHECK: store i32 1,
; CHECK: %kept{{[0-9]+}} = load i32
; CHECK: store i32 %kept{{[0-9]+}}, ptr addrspace(1) %place
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %id = call i64 @clotho.local_id(i32 0)
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %id
  %kept = load i32, ptr addrspace(1) %from
  store i32 0, ptr addrspace(1) %from
  call void @clotho.barrier()
  store i32 1, ptr addrspace(1) %from
  call void @clotho.barrier()
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %kept, ptr addrspace(1) %place
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
