; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=estimate-reciprocals %s | %check --check-prefixes=CHECK,AVX512
; RUN: %opt --passes=estimate-reciprocals-avx512f %s | %check --check-prefixes=SHORT
; RUN: %opt --passes=estimate-reciprocals-avx2 %s | %check --check-prefixes=CHECK,AVX2
; Quotients by roots, and reciprocals, are estimated and made better, where they need not be rounded correctly. What is
; no number at zero and infinity is replaced before it spoils the estimate.

; Without AVX-512VL vectors of 512 bits are estimated in halves.
; SHORT-LABEL: @by_root(
; SHORT-COUNT-2: call contract <8 x float> @llvm.x86.avx.rsqrt.ps.256(

; CHECK-LABEL: @by_root(
; AVX512: %[[Y:.*]] = call contract <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(<16 x float> %x, <16 x float> zeroinitializer, i16 -1)
; AVX512: fmul contract <16 x float> %x, %[[Y]]
; AVX512: %[[E:.*]] = fsub contract <16 x float> splat (float 1.000000e+00)
; AVX512: %[[LESS:.*]] = fcmp contract olt <16 x float> %[[E]], splat (float 1.000000e+00)
; AVX512: select contract <16 x i1> %[[LESS]], <16 x float> %[[E]], <16 x float> splat (float 1.000000e+00)
; AVX2: %[[SMALL:.*]] = fcmp contract olt <16 x float> %x, splat (float 0x3810000000000000)
; AVX2: select contract <16 x i1> %[[SMALL]]
; AVX2-COUNT-2: call contract <8 x float> @llvm.x86.avx.rsqrt.ps.256(
; AVX2: fmul contract <16 x float> %{{.*}}, %{{.*}}
; CHECK: fmul contract <16 x float> %a,
; CHECK-NOT: fdiv
; CHECK: ret
define <16 x float> @by_root(<16 x float> %a, <16 x float> %x) {
  %root = call afn <16 x float> @llvm.sqrt.v16f32(<16 x float> %x)
  %q = fdiv arcp <16 x float> %a, %root
  ret <16 x float> %q
}

; One estimate serves several quotients.
; CHECK-LABEL: @by_one_root(
; CHECK: call contract <4 x float> @llvm.x86.{{avx512|sse}}.rsqrt{{.*}}
; CHECK-NOT: rsqrt
; CHECK-NOT: fdiv
; CHECK: ret
define <4 x float> @by_one_root(<4 x float> %a, <4 x float> %b, <4 x float> %x) {
  %root = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %x)
  %q = fdiv arcp <4 x float> %a, %root
  %p = fdiv arcp <4 x float> %b, %root
  %sum = fadd <4 x float> %q, %p
  ret <4 x float> %sum
}

; An estimate of 14 bits is exact enough for what OpenCL asks by default.
; CHECK-LABEL: @inexact_root(
; AVX512: rsqrt14
; AVX2-NOT: rsqrt
; AVX2: fdiv
; CHECK: ret
define <8 x float> @inexact_root(<8 x float> %x) {
  %root = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %x)
  %q = fdiv <8 x float> splat (float 1.0), %root, !fpmath !0
  ret <8 x float> %q
}

; CHECK-LABEL: @reciprocal(
; AVX512: %[[Y:.*]] = call contract <16 x float> @llvm.x86.avx512.rcp14.ps.512(<16 x float> %x
; AVX512: %[[F:.*]] = fsub contract <16 x float> splat (float 2.000000e+00)
; AVX512: %[[MORE:.*]] = fcmp contract ogt <16 x float> %[[F]], splat (float 5.000000e-01)
; AVX512: %[[C:.*]] = select contract <16 x i1> %[[MORE]], <16 x float> %[[F]], <16 x float> splat (float 5.000000e-01)
; AVX512: fmul contract <16 x float> %[[Y]], %[[C]]
; AVX2: fdiv
; CHECK: ret
define <16 x float> @reciprocal(<16 x float> %x) {
  %q = fdiv arcp <16 x float> splat (float 1.0), %x
  ret <16 x float> %q
}

; The product of an estimate and a number would be wrong where the estimate overflows.
; CHECK-LABEL: @quotient(
; CHECK-NEXT: fdiv
define <16 x float> @quotient(<16 x float> %a, <16 x float> %x) {
  %q = fdiv arcp <16 x float> %a, %x
  ret <16 x float> %q
}

; CHECK-LABEL: @exact(
; CHECK-NEXT: call <4 x float> @llvm.sqrt
; CHECK-NEXT: fdiv
; CHECK-NEXT: fdiv
define <4 x float> @exact(<4 x float> %x) {
  %root = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %x)
  %q = fdiv <4 x float> splat (float 1.0), %root
  %p = fdiv <4 x float> splat (float 1.0), %q
  ret <4 x float> %p
}

; CHECK-LABEL: @doubles(
; CHECK-NEXT: call <4 x double> @llvm.sqrt
; CHECK-NEXT: fdiv
define <4 x double> @doubles(<4 x double> %x) {
  %root = call <4 x double> @llvm.sqrt.v4f64(<4 x double> %x)
  %q = fdiv arcp <4 x double> splat (double 1.0), %root
  ret <4 x double> %q
}

!0 = !{float 2.5}
