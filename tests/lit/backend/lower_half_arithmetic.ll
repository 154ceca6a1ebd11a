; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-half-arithmetic %s | %check
; Halves are computed with as floats, rounded once after each operation.

; CHECK-LABEL: @sum(
; CHECK: %[[A:.*]] = fpext <4 x half> %a to <4 x float>
; CHECK: %[[B:.*]] = fpext <4 x half> %b to <4 x float>
; CHECK: %[[SUM:.*]] = fadd nnan <4 x float> %[[A]], %[[B]]
; CHECK: fptrunc <4 x float> %[[SUM]] to <4 x half>
; CHECK-NEXT: ret
define <4 x half> @sum(<4 x half> %a, <4 x half> %b) {
  %sum = fadd nnan <4 x half> %a, %b
  ret <4 x half> %sum
}

; The product is exact as a float, and the sum becomes odd where it is not: no tie of halves.
; CHECK-LABEL: @fused(
; CHECK: %[[PRODUCT:.*]] = fmul float
; CHECK: %[[SUM:.*]] = fadd float %[[PRODUCT]],
; CHECK: %[[ERROR:.*]] = fadd float
; CHECK: %[[BITS:.*]] = bitcast float %[[SUM]] to i32
; CHECK: %[[INEXACT:.*]] = fcmp one float %[[ERROR]], 0.0
; CHECK: %[[ODD:.*]] = select i1 %{{.*}}, i32 %{{.*}}, i32 %[[BITS]]
; CHECK: %[[ROUNDED:.*]] = bitcast i32 %[[ODD]] to float
; CHECK: fptrunc float %[[ROUNDED]] to half
; CHECK-NOT: llvm.fma
define half @fused(half %a, half %b, half %c) {
  %r = call half @llvm.fma.f16(half %a, half %b, half %c)
  ret half %r
}

; Two operations, each rounded.
; CHECK-LABEL: @contracted(
; CHECK: %[[PRODUCT:.*]] = fmul float
; CHECK: %[[HALF:.*]] = fptrunc float %[[PRODUCT]] to half
; CHECK: %[[ROUNDED:.*]] = fpext half %[[HALF]] to float
; CHECK: fadd float %[[ROUNDED]],
define half @contracted(half %a, half %b, half %c) {
  %r = call half @llvm.fmuladd.f16(half %a, half %b, half %c)
  ret half %r
}

; A double with 24 bits, the last of which stands for all behind it, is a float.
; CHECK-LABEL: @from_double(
; CHECK: %[[BITS:.*]] = bitcast <2 x double> %d to <2 x i64>
; CHECK: %[[BEHIND:.*]] = and <2 x i64> %[[BITS]], splat (i64 536870911)
; CHECK: %[[CARRY:.*]] = add <2 x i64> %[[BEHIND]], splat (i64 536870911)
; CHECK: %[[STICKY:.*]] = or <2 x i64> %[[BITS]], %[[CARRY]]
; CHECK: and <2 x i64> %[[STICKY]], splat (i64 -536870912)
; CHECK: fptrunc <2 x double> %{{.*}} to <2 x float>
; CHECK: fptrunc <2 x float> %{{.*}} to <2 x half>
define <2 x half> @from_double(<2 x double> %d) {
  %r = fptrunc <2 x double> %d to <2 x half>
  ret <2 x half> %r
}

; CHECK-LABEL: @signs(
; CHECK: %[[NEGATED:.*]] = xor i16 %{{.*}}, -32768
; CHECK: and i16 %{{.*}}, 32767
; CHECK: %[[SIGN:.*]] = and i16 %{{.*}}, -32768
; CHECK: or i16 %{{.*}}, %[[SIGN]]
; CHECK-NOT: fpext
; CHECK: ret half
define half @signs(half %a, half %b) {
  %n = fneg half %a
  %s = call half @llvm.copysign.f16(half %n, half %b)
  ret half %s
}

; CHECK-LABEL: @others(
; CHECK: call float @llvm.sqrt.f32(float
; CHECK: fcmp ole float
; CHECK: call i8 @llvm.fptosi.sat.i8.f32(float
; CHECK: fptoui float %{{.*}} to i32
; CHECK: uitofp i64 %{{.*}} to float
define half @others(half %a, i64 %k, ptr %p) {
  %root = call half @llvm.sqrt.f16(half %a)
  %less = fcmp ole half %root, %a
  store i1 %less, ptr %p
  %byte = call i8 @llvm.fptosi.sat.i8.f16(half %root)
  store i8 %byte, ptr %p
  %int = fptoui half %root to i32
  store i32 %int, ptr %p
  %r = uitofp i64 %k to half
  ret half %r
}

; What only moves stays as it is.
; CHECK-LABEL: @moves(
; CHECK-NEXT: load half
; CHECK-NEXT: select i1 %c, half
; CHECK-NEXT: fpext half
; CHECK-NEXT: store float
; CHECK-NEXT: fptrunc float
; CHECK-NEXT: ret half
define half @moves(ptr %p, i1 %c, half %b, float %f) {
  %a = load half, ptr %p
  %s = select i1 %c, half %a, half %b
  %w = fpext half %s to float
  store float %w, ptr %p
  %r = fptrunc float %f to half
  ret half %r
}

declare half @llvm.fma.f16(half, half, half)
declare half @llvm.fmuladd.f16(half, half, half)
declare half @llvm.copysign.f16(half, half)
declare half @llvm.sqrt.f16(half)
declare i8 @llvm.fptosi.sat.i8.f16(half)
