; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise %s | %check
; With four rows, loads and sums would leave no registers for the weights, so there are two rows.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define internal spir_func void @filter.rows(
; CHECK-COUNT-2: store <16 x float>
; CHECK-NOT: store
; CHECK-LABEL: }
define spir_kernel void @filter(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %w, float %c0, float %c1, float %c2, float %c3, float %c4, float %c5, float %c6, float %c7, float %c8, float %c9, float %c10, float %c11, float %c12, float %c13, float %c14, float %c15, float %c16) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %at0 = mul i64 %y, %w
  %i0 = add i64 %at0, %x
  %i1 = add i64 %i0, %w
  %i2 = add i64 %i1, %w
  %i3 = add i64 %i2, %w
  %i4 = add i64 %i3, %w
  %i5 = add i64 %i4, %w
  %i6 = add i64 %i5, %w
  %i7 = add i64 %i6, %w
  %i8 = add i64 %i7, %w
  %i9 = add i64 %i8, %w
  %i10 = add i64 %i9, %w
  %i11 = add i64 %i10, %w
  %i12 = add i64 %i11, %w
  %i13 = add i64 %i12, %w
  %i14 = add i64 %i13, %w
  %i15 = add i64 %i14, %w
  %i16 = add i64 %i15, %w
  %p0 = getelementptr float, ptr addrspace(1) %a, i64 %i0
  %v0 = load float, ptr addrspace(1) %p0, align 4
  %p1 = getelementptr float, ptr addrspace(1) %a, i64 %i1
  %v1 = load float, ptr addrspace(1) %p1, align 4
  %p2 = getelementptr float, ptr addrspace(1) %a, i64 %i2
  %v2 = load float, ptr addrspace(1) %p2, align 4
  %p3 = getelementptr float, ptr addrspace(1) %a, i64 %i3
  %v3 = load float, ptr addrspace(1) %p3, align 4
  %p4 = getelementptr float, ptr addrspace(1) %a, i64 %i4
  %v4 = load float, ptr addrspace(1) %p4, align 4
  %p5 = getelementptr float, ptr addrspace(1) %a, i64 %i5
  %v5 = load float, ptr addrspace(1) %p5, align 4
  %p6 = getelementptr float, ptr addrspace(1) %a, i64 %i6
  %v6 = load float, ptr addrspace(1) %p6, align 4
  %p7 = getelementptr float, ptr addrspace(1) %a, i64 %i7
  %v7 = load float, ptr addrspace(1) %p7, align 4
  %p8 = getelementptr float, ptr addrspace(1) %a, i64 %i8
  %v8 = load float, ptr addrspace(1) %p8, align 4
  %p9 = getelementptr float, ptr addrspace(1) %a, i64 %i9
  %v9 = load float, ptr addrspace(1) %p9, align 4
  %p10 = getelementptr float, ptr addrspace(1) %a, i64 %i10
  %v10 = load float, ptr addrspace(1) %p10, align 4
  %p11 = getelementptr float, ptr addrspace(1) %a, i64 %i11
  %v11 = load float, ptr addrspace(1) %p11, align 4
  %p12 = getelementptr float, ptr addrspace(1) %a, i64 %i12
  %v12 = load float, ptr addrspace(1) %p12, align 4
  %p13 = getelementptr float, ptr addrspace(1) %a, i64 %i13
  %v13 = load float, ptr addrspace(1) %p13, align 4
  %p14 = getelementptr float, ptr addrspace(1) %a, i64 %i14
  %v14 = load float, ptr addrspace(1) %p14, align 4
  %p15 = getelementptr float, ptr addrspace(1) %a, i64 %i15
  %v15 = load float, ptr addrspace(1) %p15, align 4
  %p16 = getelementptr float, ptr addrspace(1) %a, i64 %i16
  %v16 = load float, ptr addrspace(1) %p16, align 4
  %s0 = fmul float %v0, %c0
  %s1 = call float @llvm.fmuladd.f32(float %v1, float %c1, float %s0)
  %s2 = call float @llvm.fmuladd.f32(float %v2, float %c2, float %s1)
  %s3 = call float @llvm.fmuladd.f32(float %v3, float %c3, float %s2)
  %s4 = call float @llvm.fmuladd.f32(float %v4, float %c4, float %s3)
  %s5 = call float @llvm.fmuladd.f32(float %v5, float %c5, float %s4)
  %s6 = call float @llvm.fmuladd.f32(float %v6, float %c6, float %s5)
  %s7 = call float @llvm.fmuladd.f32(float %v7, float %c7, float %s6)
  %s8 = call float @llvm.fmuladd.f32(float %v8, float %c8, float %s7)
  %s9 = call float @llvm.fmuladd.f32(float %v9, float %c9, float %s8)
  %s10 = call float @llvm.fmuladd.f32(float %v10, float %c10, float %s9)
  %s11 = call float @llvm.fmuladd.f32(float %v11, float %c11, float %s10)
  %s12 = call float @llvm.fmuladd.f32(float %v12, float %c12, float %s11)
  %s13 = call float @llvm.fmuladd.f32(float %v13, float %c13, float %s12)
  %s14 = call float @llvm.fmuladd.f32(float %v14, float %c14, float %s13)
  %s15 = call float @llvm.fmuladd.f32(float %v15, float %c15, float %s14)
  %s16 = call float @llvm.fmuladd.f32(float %v16, float %c16, float %s15)
  %q = getelementptr float, ptr addrspace(1) %b, i64 %i0
  store float %s16, ptr addrspace(1) %q, align 4
  ret void
}

declare float @llvm.fmuladd.f32(float, float, float)

attributes #0 = { memory(none) }
