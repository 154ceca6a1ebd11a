; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=integer-coordinates %s | %check

; The middle of texel i, clamped around a size and then into it: the outer clamp is enough.
; CHECK-LABEL: @middle(
; CHECK-NOT: float
; CHECK: %[[LOWER:.*]] = call i32 @llvm.smax.i32(i32 %i, i32 0)
; CHECK: %[[LAST:.*]] = add nsw i32 %size, -1
; CHECK: %[[CLAMPED:.*]] = call i32 @llvm.smin.i32(i32 %[[LOWER]], i32 %[[LAST]])
; CHECK-NOT: float
; CHECK: ret i32 %[[CLAMPED]]
define i32 @middle(i32 %i, i32 %width) {
  %size = and i32 %width, 1048575
  %real = sitofp i32 %i to float
  %middle = fadd float %real, 5.000000e-01
  %down = call float @llvm.floor.f32(float %middle)
  %above = fcmp ogt float %down, -2.000000e+00
  %lower = select i1 %above, float %down, float -2.000000e+00
  %real.size = sitofp i32 %size to float
  %end = fadd float %real.size, 2.000000e+00
  %below = fcmp olt float %lower, %end
  %both = select i1 %below, float %lower, float %end
  %texel = fptosi float %both to i32
  %first = call i32 @llvm.smax.i32(i32 %texel, i32 0)
  %last = add nsw i32 %size, -1
  %clamped = call i32 @llvm.smin.i32(i32 %first, i32 %last)
  ret i32 %clamped
}

; Whether a texel is outside is told by the integer itself; what else asks gets the clamped one.
; CHECK-LABEL: @outside(
; CHECK: %[[CLAMPED:.*]] = call i32 @llvm.smin.i32(i32 %{{.*}}, i32 %{{.*}})
; CHECK: icmp uge i32 %i, %size
; CHECK: select i1 %{{.*}}, i32 -1, i32 %[[CLAMPED]]
define i32 @outside(i32 %i, i32 %width) {
  %size = and i32 %width, 1048575
  %real = sitofp i32 %i to float
  %above = fcmp ogt float %real, -2.000000e+00
  %lower = select i1 %above, float %real, float -2.000000e+00
  %end = sitofp i32 %size to float
  %below = fcmp olt float %lower, %end
  %both = select i1 %below, float %lower, float %end
  %texel = fptosi float %both to i32
  %outside = icmp uge i32 %texel, %size
  %result = select i1 %outside, i32 -1, i32 %texel
  ret i32 %result
}

; What lies below a size that may be negative is not told by the integer itself: -5 is none of the clamped ones.
; CHECK-LABEL: @negative_size(
; CHECK: %texel = call i32 @llvm.smin.i32(i32 %{{.*}}, i32 %end)
; CHECK: icmp ult i32 %texel, %size
define i1 @negative_size(i32 %i, i32 %n) {
  %bits = and i32 %n, 1023
  %size = add nsw i32 %bits, -3
  %end = add nsw i32 %size, 3
  %real = sitofp i32 %i to float
  %above = fcmp ogt float %real, -1.000000e+00
  %lower = select i1 %above, float %real, float -1.000000e+00
  %real.end = sitofp i32 %end to float
  %below = fcmp olt float %lower, %real.end
  %both = select i1 %below, float %lower, float %real.end
  %texel = fptosi float %both to i32
  %inside = icmp ult i32 %texel, %size
  ret i1 %inside
}

; Elements of vectors, two constants, and a 64-bit id, of which large ones are all alike.
; CHECK-LABEL: @element(
; CHECK: %[[SMALL:.*]] = call i64 @llvm.umin.i64(i64 %id, i64 2097152)
; CHECK: %[[INTEGER:.*]] = trunc i64 %[[SMALL]] to i32
; CHECK: %[[MOVED:.*]] = add nsw i32 %[[INTEGER]], 2
; CHECK: call i32 @llvm.smin.i32(i32 %[[MOVED]], i32 100)
; CHECK-NOT: fptosi
define i32 @element(i64 %id, float %other) {
  %real = uitofp i64 %id to float
  %one = insertelement <2 x float> poison, float %real, i64 0
  %two = insertelement <2 x float> %one, float %other, i64 1
  %moved = fadd <2 x float> %two, <float 1.750000e+00, float 0.000000e+00>
  %more = fadd <2 x float> <float 5.000000e-01, float 0.000000e+00>, %moved
  %first = extractelement <2 x float> %more, i64 0
  %down = call float @llvm.floor.f32(float %first)
  %least = call float @llvm.minnum.f32(float %down, float 1.000000e+02)
  %texel = fptosi float %least to i32
  ret i32 %texel
}

; CHECK-LABEL: @signs(
; CHECK: smax.i32(i32 %{{.*}}, i32 -2097152)
; CHECK: add nsw i32 %{{.*}}, -1
; CHECK-NOT: fptosi
define i32 @signs(i32 %i) {
  %real = sitofp i32 %i to float
  %before = fsub float %real, 5.000000e-01
  %down = call float @llvm.floor.f32(float %before)
  %least = call float @llvm.minnum.f32(float %down, float 1.000000e+02)
  %most = call float @llvm.maxnum.f32(float %least, float -1.000000e+02)
  %texel = fptosi float %most to i32
  ret i32 %texel
}

; Without a clamp on both sides, large numbers would be others.
; CHECK-LABEL: @not_clamped(
; CHECK: fptosi
define i32 @not_clamped(i32 %i) {
  %real = sitofp i32 %i to float
  %middle = fadd float %real, 5.000000e-01
  %down = call float @llvm.floor.f32(float %middle)
  %least = call float @llvm.minnum.f32(float %down, float 1.000000e+02)
  %texel = fptosi float %least to i32
  ret i32 %texel
}

; A bound that may be as large as what floats do not hold exactly.
; CHECK-LABEL: @far_bound(
; CHECK: fptosi
define i32 @far_bound(i32 %i, i32 %width) {
  %size = and i32 %width, 4194303
  %real = sitofp i32 %i to float
  %middle = fadd float %real, 5.000000e-01
  %down = call float @llvm.floor.f32(float %middle)
  %end = sitofp i32 %size to float
  %least = call float @llvm.minnum.f32(float %down, float %end)
  %most = call float @llvm.maxnum.f32(float %least, float 0.000000e+00)
  %texel = fptosi float %most to i32
  ret i32 %texel
}

; A fraction that sums do not keep exactly, a scale, and other roundings stay as they are.
; CHECK-LABEL: @others(
; CHECK-COUNT-3: fptosi
define i32 @others(i16 %i) {
  %real = sitofp i16 %i to float
  %third = fadd float %real, 0x3FD5555560000000
  %down = call float @llvm.floor.f32(float %third)
  %a = fptosi float %down to i32
  %scaled = fmul float %real, 3.000000e+00
  %b = fptosi float %scaled to i32
  %half = fadd float %real, 5.000000e-01
  %c = fptosi float %half to i32
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  ret i32 %abc
}

declare float @llvm.floor.f32(float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.maxnum.f32(float, float)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
