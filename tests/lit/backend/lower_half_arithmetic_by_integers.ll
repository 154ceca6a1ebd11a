; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-half-arithmetic-by-integers %s | %check
; For CPUs that have no conversions of half.

; CHECK-LABEL: @moves(
; CHECK: %[[WIDE:.*]] = zext <4 x i16> %{{.*}} to <4 x i32>
; CHECK: and <4 x i32> %[[WIDE]], splat (i32 32768)
; CHECK: fsub <4 x float> %{{.*}}, splat (float 0x3F10000000000000)
; CHECK: or <4 x i32> %{{.*}}, splat (i32 2139095040)
; CHECK: lshr <4 x i32> %{{.*}}, splat (i32 16)
; CHECK: fadd <4 x float> %{{.*}}, splat (float 5.000000e-01)
; CHECK: trunc <4 x i32> %{{.*}} to <4 x i16>
; CHECK-NOT: fpext
; CHECK-NOT: fptrunc
; CHECK: ret <4 x half>
define <4 x half> @moves(<4 x half> %a, ptr %p, <4 x float> %f) {
  %w = fpext <4 x half> %a to <4 x float>
  store <4 x float> %w, ptr %p
  %r = fptrunc <4 x float> %f to <4 x half>
  ret <4 x half> %r
}

; CHECK-LABEL: @sum(
; CHECK-NOT: fpext
; CHECK: fadd float
; CHECK-NOT: fptrunc
; CHECK: ret half
define half @sum(half %a, half %b) {
  %r = fadd half %a, %b
  ret half %r
}
