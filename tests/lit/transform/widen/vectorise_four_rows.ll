; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Four rows at once where that leaves a tenth less for each than two do, not for a longer computation.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define internal spir_func void @sum.rows(
; CHECK: call i64 @clotho.local_id(i32 1)
; CHECK: add i64 %{{.*}}, 4
; CHECK-COUNT-6: load <4 x i32>
; CHECK-NOT: load <4 x i32>
; CHECK-COUNT-4: store <4 x i32>
; CHECK-NOT: @sum.row_fallback
; CHECK-LABEL: }
define spir_kernel void @sum(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %w) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %at0 = mul i64 %y, %w
  %i0 = add i64 %at0, %x
  %i1 = add i64 %i0, %w
  %i2 = add i64 %i1, %w
  %p0 = getelementptr i32, ptr addrspace(1) %a, i64 %i0
  %v0 = load i32, ptr addrspace(1) %p0, align 4
  %p1 = getelementptr i32, ptr addrspace(1) %a, i64 %i1
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %p2 = getelementptr i32, ptr addrspace(1) %a, i64 %i2
  %v2 = load i32, ptr addrspace(1) %p2, align 4
  %s = add i32 %v0, %v1
  %t = add i32 %s, %v2
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i0
  store i32 %t, ptr addrspace(1) %q, align 4
  ret void
}

; Loads are the lesser part.
; CHECK-LABEL: define internal spir_func void @weighted.rows(
; CHECK-COUNT-2: store <4 x float>
; CHECK-NOT: store
; CHECK-LABEL: }
define spir_kernel void @weighted(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %w, float %c0, float %c1, float %c2, float %c3, float %c4, float %c5, float %c6, float %c7, float %c8, float %c9, float %c10, float %c11, float %c12, float %c13, float %c14, float %c15) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %at0 = mul i64 %y, %w
  %i0 = add i64 %at0, %x
  %i1 = add i64 %i0, %w
  %i2 = add i64 %i1, %w
  %p0 = getelementptr float, ptr addrspace(1) %a, i64 %i0
  %v0 = load float, ptr addrspace(1) %p0, align 4
  %p1 = getelementptr float, ptr addrspace(1) %a, i64 %i1
  %v1 = load float, ptr addrspace(1) %p1, align 4
  %p2 = getelementptr float, ptr addrspace(1) %a, i64 %i2
  %v2 = load float, ptr addrspace(1) %p2, align 4
  %s0 = fmul float %v0, %c0
  %s1 = call float @llvm.fmuladd.f32(float %v1, float %c1, float %s0)
  %s2 = call float @llvm.fmuladd.f32(float %v2, float %c2, float %s1)
  %s3 = call float @llvm.fmuladd.f32(float %v0, float %c3, float %s2)
  %s4 = call float @llvm.fmuladd.f32(float %v1, float %c4, float %s3)
  %s5 = call float @llvm.fmuladd.f32(float %v2, float %c5, float %s4)
  %s6 = call float @llvm.fmuladd.f32(float %v0, float %c6, float %s5)
  %s7 = call float @llvm.fmuladd.f32(float %v1, float %c7, float %s6)
  %s8 = call float @llvm.fmuladd.f32(float %v2, float %c8, float %s7)
  %s9 = call float @llvm.fmuladd.f32(float %v0, float %c9, float %s8)
  %s10 = call float @llvm.fmuladd.f32(float %v1, float %c10, float %s9)
  %s11 = call float @llvm.fmuladd.f32(float %v2, float %c11, float %s10)
  %s12 = call float @llvm.fmuladd.f32(float %v0, float %c12, float %s11)
  %s13 = call float @llvm.fmuladd.f32(float %v1, float %c13, float %s12)
  %s14 = call float @llvm.fmuladd.f32(float %v2, float %c14, float %s13)
  %s15 = call float @llvm.fmuladd.f32(float %v0, float %c15, float %s14)
  %q = getelementptr float, ptr addrspace(1) %b, i64 %i0
  store float %s15, ptr addrspace(1) %q, align 4
  ret void
}

declare float @llvm.fmuladd.f32(float, float, float)

attributes #0 = { memory(none) }
