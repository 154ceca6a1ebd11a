; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise %s | %check
; What rows share in a loop is not live longer where the loop is unrolled, so there are registers for four rows.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define internal spir_func void @product.rows(
; CHECK-COUNT-4: store <{{[0-9]+}} x float>
; CHECK-LABEL: }
define spir_kernel void @product(ptr addrspace(1) readonly %a, ptr addrspace(1) readonly %b, ptr addrspace(1) %c, i64 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %row = mul i64 %y, %n
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s0 = phi float [ 0.0, %entry ], [ %s16, %loop ]
  %k0 = add i64 %t, 0
  %i1 = add i64 %row, %k0
  %p0 = getelementptr float, ptr addrspace(1) %a, i64 %i1
  %v0 = load float, ptr addrspace(1) %p0, align 4
  %j0 = mul i64 %k0, %n
  %l0 = add i64 %j0, %x
  %q0 = getelementptr float, ptr addrspace(1) %b, i64 %l0
  %w0 = load float, ptr addrspace(1) %q0, align 4
  %s1 = call float @llvm.fmuladd.f32(float %v0, float %w0, float %s0)
  %k1 = add i64 %t, 1
  %i2 = add i64 %row, %k1
  %p1 = getelementptr float, ptr addrspace(1) %a, i64 %i2
  %v1 = load float, ptr addrspace(1) %p1, align 4
  %j1 = mul i64 %k1, %n
  %l1 = add i64 %j1, %x
  %q1 = getelementptr float, ptr addrspace(1) %b, i64 %l1
  %w1 = load float, ptr addrspace(1) %q1, align 4
  %s2 = call float @llvm.fmuladd.f32(float %v1, float %w1, float %s1)
  %k2 = add i64 %t, 2
  %i3 = add i64 %row, %k2
  %p2 = getelementptr float, ptr addrspace(1) %a, i64 %i3
  %v2 = load float, ptr addrspace(1) %p2, align 4
  %j2 = mul i64 %k2, %n
  %l2 = add i64 %j2, %x
  %q2 = getelementptr float, ptr addrspace(1) %b, i64 %l2
  %w2 = load float, ptr addrspace(1) %q2, align 4
  %s3 = call float @llvm.fmuladd.f32(float %v2, float %w2, float %s2)
  %k3 = add i64 %t, 3
  %i4 = add i64 %row, %k3
  %p3 = getelementptr float, ptr addrspace(1) %a, i64 %i4
  %v3 = load float, ptr addrspace(1) %p3, align 4
  %j3 = mul i64 %k3, %n
  %l3 = add i64 %j3, %x
  %q3 = getelementptr float, ptr addrspace(1) %b, i64 %l3
  %w3 = load float, ptr addrspace(1) %q3, align 4
  %s4 = call float @llvm.fmuladd.f32(float %v3, float %w3, float %s3)
  %k4 = add i64 %t, 4
  %i5 = add i64 %row, %k4
  %p4 = getelementptr float, ptr addrspace(1) %a, i64 %i5
  %v4 = load float, ptr addrspace(1) %p4, align 4
  %j4 = mul i64 %k4, %n
  %l4 = add i64 %j4, %x
  %q4 = getelementptr float, ptr addrspace(1) %b, i64 %l4
  %w4 = load float, ptr addrspace(1) %q4, align 4
  %s5 = call float @llvm.fmuladd.f32(float %v4, float %w4, float %s4)
  %k5 = add i64 %t, 5
  %i6 = add i64 %row, %k5
  %p5 = getelementptr float, ptr addrspace(1) %a, i64 %i6
  %v5 = load float, ptr addrspace(1) %p5, align 4
  %j5 = mul i64 %k5, %n
  %l5 = add i64 %j5, %x
  %q5 = getelementptr float, ptr addrspace(1) %b, i64 %l5
  %w5 = load float, ptr addrspace(1) %q5, align 4
  %s6 = call float @llvm.fmuladd.f32(float %v5, float %w5, float %s5)
  %k6 = add i64 %t, 6
  %i7 = add i64 %row, %k6
  %p6 = getelementptr float, ptr addrspace(1) %a, i64 %i7
  %v6 = load float, ptr addrspace(1) %p6, align 4
  %j6 = mul i64 %k6, %n
  %l6 = add i64 %j6, %x
  %q6 = getelementptr float, ptr addrspace(1) %b, i64 %l6
  %w6 = load float, ptr addrspace(1) %q6, align 4
  %s7 = call float @llvm.fmuladd.f32(float %v6, float %w6, float %s6)
  %k7 = add i64 %t, 7
  %i8 = add i64 %row, %k7
  %p7 = getelementptr float, ptr addrspace(1) %a, i64 %i8
  %v7 = load float, ptr addrspace(1) %p7, align 4
  %j7 = mul i64 %k7, %n
  %l7 = add i64 %j7, %x
  %q7 = getelementptr float, ptr addrspace(1) %b, i64 %l7
  %w7 = load float, ptr addrspace(1) %q7, align 4
  %s8 = call float @llvm.fmuladd.f32(float %v7, float %w7, float %s7)
  %k8 = add i64 %t, 8
  %i9 = add i64 %row, %k8
  %p8 = getelementptr float, ptr addrspace(1) %a, i64 %i9
  %v8 = load float, ptr addrspace(1) %p8, align 4
  %j8 = mul i64 %k8, %n
  %l8 = add i64 %j8, %x
  %q8 = getelementptr float, ptr addrspace(1) %b, i64 %l8
  %w8 = load float, ptr addrspace(1) %q8, align 4
  %s9 = call float @llvm.fmuladd.f32(float %v8, float %w8, float %s8)
  %k9 = add i64 %t, 9
  %i10 = add i64 %row, %k9
  %p9 = getelementptr float, ptr addrspace(1) %a, i64 %i10
  %v9 = load float, ptr addrspace(1) %p9, align 4
  %j9 = mul i64 %k9, %n
  %l9 = add i64 %j9, %x
  %q9 = getelementptr float, ptr addrspace(1) %b, i64 %l9
  %w9 = load float, ptr addrspace(1) %q9, align 4
  %s10 = call float @llvm.fmuladd.f32(float %v9, float %w9, float %s9)
  %k10 = add i64 %t, 10
  %i11 = add i64 %row, %k10
  %p10 = getelementptr float, ptr addrspace(1) %a, i64 %i11
  %v10 = load float, ptr addrspace(1) %p10, align 4
  %j10 = mul i64 %k10, %n
  %l10 = add i64 %j10, %x
  %q10 = getelementptr float, ptr addrspace(1) %b, i64 %l10
  %w10 = load float, ptr addrspace(1) %q10, align 4
  %s11 = call float @llvm.fmuladd.f32(float %v10, float %w10, float %s10)
  %k11 = add i64 %t, 11
  %i12 = add i64 %row, %k11
  %p11 = getelementptr float, ptr addrspace(1) %a, i64 %i12
  %v11 = load float, ptr addrspace(1) %p11, align 4
  %j11 = mul i64 %k11, %n
  %l11 = add i64 %j11, %x
  %q11 = getelementptr float, ptr addrspace(1) %b, i64 %l11
  %w11 = load float, ptr addrspace(1) %q11, align 4
  %s12 = call float @llvm.fmuladd.f32(float %v11, float %w11, float %s11)
  %k12 = add i64 %t, 12
  %i13 = add i64 %row, %k12
  %p12 = getelementptr float, ptr addrspace(1) %a, i64 %i13
  %v12 = load float, ptr addrspace(1) %p12, align 4
  %j12 = mul i64 %k12, %n
  %l12 = add i64 %j12, %x
  %q12 = getelementptr float, ptr addrspace(1) %b, i64 %l12
  %w12 = load float, ptr addrspace(1) %q12, align 4
  %s13 = call float @llvm.fmuladd.f32(float %v12, float %w12, float %s12)
  %k13 = add i64 %t, 13
  %i14 = add i64 %row, %k13
  %p13 = getelementptr float, ptr addrspace(1) %a, i64 %i14
  %v13 = load float, ptr addrspace(1) %p13, align 4
  %j13 = mul i64 %k13, %n
  %l13 = add i64 %j13, %x
  %q13 = getelementptr float, ptr addrspace(1) %b, i64 %l13
  %w13 = load float, ptr addrspace(1) %q13, align 4
  %s14 = call float @llvm.fmuladd.f32(float %v13, float %w13, float %s13)
  %k14 = add i64 %t, 14
  %i15 = add i64 %row, %k14
  %p14 = getelementptr float, ptr addrspace(1) %a, i64 %i15
  %v14 = load float, ptr addrspace(1) %p14, align 4
  %j14 = mul i64 %k14, %n
  %l14 = add i64 %j14, %x
  %q14 = getelementptr float, ptr addrspace(1) %b, i64 %l14
  %w14 = load float, ptr addrspace(1) %q14, align 4
  %s15 = call float @llvm.fmuladd.f32(float %v14, float %w14, float %s14)
  %k15 = add i64 %t, 15
  %i16 = add i64 %row, %k15
  %p15 = getelementptr float, ptr addrspace(1) %a, i64 %i16
  %v15 = load float, ptr addrspace(1) %p15, align 4
  %j15 = mul i64 %k15, %n
  %l15 = add i64 %j15, %x
  %q15 = getelementptr float, ptr addrspace(1) %b, i64 %l15
  %w15 = load float, ptr addrspace(1) %q15, align 4
  %s16 = call float @llvm.fmuladd.f32(float %v15, float %w15, float %s15)
  %next = add i64 %t, 16
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %at = add i64 %row, %x
  %r = getelementptr float, ptr addrspace(1) %c, i64 %at
  store float %s16, ptr addrspace(1) %r, align 4
  ret void
}

declare float @llvm.fmuladd.f32(float, float, float)

attributes #0 = { memory(none) }
