; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=expand-global-ids %s | %check
; A kernel with a local variable is not marked, which is no matter for the other kernels of the program.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

@has.shared = internal addrspace(3) global [4 x i32] undef, align 4

declare i64 @clotho.global_id(i32) #0

; CHECK: define spir_kernel void @has({{.*}}) {
define spir_kernel void @has(ptr addrspace(1) %a) {
  %id = call i64 @clotho.global_id(i32 0)
  store i32 1, ptr addrspace(3) getelementptr inbounds ([4 x i32], ptr addrspace(3) @has.shared, i64 0, i64 1)
  ret void
}

; CHECK: define spir_kernel void @has_not({{.*}}) !clotho.facts ![[MERGED:[0-9]+]] {
define spir_kernel void @has_not(ptr addrspace(1) %a) {
  %id = call i64 @clotho.global_id(i32 0)
  ret void
}

; CHECK: ![[MERGED]] = !{!"merged-row", i32 16384}

attributes #0 = { nounwind willreturn speculatable memory(none) }
