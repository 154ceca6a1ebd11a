; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=narrow-arithmetic %s | %check

; CHECK-LABEL: @bytes(
; CHECK: %[[A:.*]] = zext i8 %a to i16
; CHECK: %[[B:.*]] = zext i8 %b to i16
; CHECK: %[[DOUBLE:.*]] = shl i16 %[[A]], 1
; CHECK: %[[DIFFERENCE:.*]] = sub i16 %[[DOUBLE]], %[[B]]
; CHECK: %[[SIZE:.*]] = call i16 @llvm.abs.i16(i16 %[[DIFFERENCE]], i1 false)
; CHECK: %[[LEAST:.*]] = call i16 @llvm.umin.i16(i16 %[[SIZE]], i16 255)
; CHECK: trunc i16 %[[LEAST]] to i8
; CHECK-NOT: i32
; CHECK: ret i8
define i8 @bytes(i8 %a, i8 %b) {
  %wide.a = zext i8 %a to i32
  %wide.b = zext i8 %b to i32
  %double = shl i32 %wide.a, 1
  %difference = sub i32 %double, %wide.b
  %size = call i32 @llvm.abs.i32(i32 %difference, i1 false)
  %least = call i32 @llvm.umin.i32(i32 %size, i32 255)
  %result = trunc i32 %least to i8
  ret i8 %result
}

; Up to 65535, so the order is the unsigned one.
; CHECK-LABEL: @unsigned(
; CHECK: mul <4 x i16>
; CHECK: icmp ugt <4 x i16>
; CHECK-NOT: i32>
; CHECK: }
define <4 x i1> @unsigned(<4 x i8> %a, <4 x i16> %b) {
  %wide.a = zext <4 x i8> %a to <4 x i32>
  %wide.b = zext <4 x i16> %b to <4 x i32>
  %product = mul <4 x i32> %wide.a, splat (i32 257)
  %more = icmp sgt <4 x i32> %product, %wide.b
  ret <4 x i1> %more
}

; CHECK-LABEL: @too_large(
; CHECK-NOT: i16
; CHECK: }
define i1 @too_large(i8 %a, i8 %b) {
  %wide.a = zext i8 %a to i32
  %wide.b = sext i8 %b to i32
  %product = mul i32 %wide.a, 129
  %sum = add i32 %product, %wide.b
  %more = icmp sgt i32 %sum, -7
  ret i1 %more
}

; One operation less is not worth an extension of its result.
; CHECK-LABEL: @not_worth_it(
; CHECK: add i32
; CHECK: }
define i32 @not_worth_it(i8 %a) {
  %wide = zext i8 %a to i32
  %next = add i32 %wide, 1
  ret i32 %next
}

; CHECK-LABEL: @floats(
; CHECK-NOT: uitofp
; CHECK: %[[SUM:.*]] = add i16
; CHECK: %[[ALL:.*]] = add i16 %{{.*}}, 7
; CHECK: %[[WIDE:.*]] = zext i16 %[[ALL]] to i32
; CHECK: sitofp i32 %[[WIDE]] to float
; CHECK-NOT: fadd
; CHECK: }
define float @floats(i8 %a, i8 %b) {
  %x = uitofp i8 %a to float
  %y = uitofp i8 %b to float
  %sum = fadd float %x, %y
  %more = call float @llvm.fmuladd.f32(float %x, float 2.0, float %sum)
  %all = fadd float %more, 7.0
  ret float %all
}

; Zero times a negative number is negative zero, which no integer is; nor is half of something.
; CHECK-LABEL: @signs(
; CHECK: fmul float
; CHECK: fadd float %{{.*}}, 5.000000e-01
; CHECK: }
define float @signs(i8 %a, i8 %b) {
  %x = sitofp i8 %a to float
  %y = sitofp i8 %b to float
  %product = fmul float %x, %y
  %more = fadd float %product, 0.5
  ret float %more
}

; From 2^24 on, floats are not exact.
; CHECK-LABEL: @rounded(
; CHECK: fmul float
; CHECK: }
define float @rounded(i16 %a, i16 %b) {
  %x = uitofp i16 %a to float
  %y = uitofp i16 %b to float
  %product = fmul float %x, %y
  ret float %product
}

; Three bytes of a difference, which may be negative.
; CHECK-LABEL: @three_bytes(
; CHECK: %[[LOW:.*]] = sub i16
; CHECK: sext i16 %[[LOW]] to i24
; CHECK: ret i24
define i24 @three_bytes(i8 %a, i8 %b) {
  %x = zext i8 %a to i32
  %y = zext i8 %b to i32
  %difference = sub i32 %x, %y
  %result = trunc i32 %difference to i24
  ret i24 %result
}

; The low bits of an address are no constant that LLVM folds.
; CHECK-LABEL: @address(
; CHECK: and i16 trunc (i32 add (i32 ptrtoint (ptr @table to i32), i32 5) to i16), 63
; CHECK: ret i16
@table = global i32 0
define i16 @address(i8 %a, i8 %b) {
  %low = and i32 add (i32 ptrtoint (ptr @table to i32), i32 5), 63
  %x = zext i8 %a to i32
  %y = zext i8 %b to i32
  %sum = add i32 %low, %x
  %more = add i32 %sum, %y
  %twice = shl i32 %more, 1
  %result = trunc i32 %twice to i16
  ret i16 %result
}

declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.umin.i32(i32, i32)
declare float @llvm.fmuladd.f32(float, float, float)
