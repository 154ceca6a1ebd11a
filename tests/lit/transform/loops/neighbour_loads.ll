; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=neighbour-loads %s | %check
; Neighbouring loads a few bytes apart become a load of the middle one; the others are combined from it and the missing
; elements.

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @three(
; CHECK: %[[AT:.*]] = getelementptr i8, ptr %before, i64 4
; CHECK: %middle = load <16 x float>, ptr %[[AT]], align 4
; CHECK: %[[FROM:.*]] = getelementptr i8, ptr %[[AT]], i64 -4
; CHECK: %[[LEFT:.*]] = load <1 x i32>, ptr %[[FROM]], align 4
; CHECK: %[[SPREAD:.*]] = shufflevector <1 x i32> %[[LEFT]], <1 x i32> poison, <16 x i32> zeroinitializer
; CHECK: %[[BITS:.*]] = bitcast <16 x float> %middle to <16 x i32>
; CHECK: shufflevector <16 x i32> %[[SPREAD]], <16 x i32> %[[BITS]], <16 x i32> <i32 15, i32 16, {{.*}}, i32 30>
; CHECK: %[[END:.*]] = getelementptr i8, ptr %[[AT]], i64 64
; CHECK: load <1 x i32>, ptr %[[END]], align 4
; CHECK: shufflevector <16 x i32> %{{.*}}, <16 x i32> %{{.*}}, <16 x i32> <i32 1, i32 2, {{.*}}, i32 16>
; CHECK-NOT: load
; CHECK: ret void
define void @three(ptr %p, ptr noalias %out) {
  %before = getelementptr i8, ptr %p, i64 -4
  %after = getelementptr i8, ptr %p, i64 4
  %a = load <16 x float>, ptr %before, align 4
  %b = load <16 x float>, ptr %p, align 4
  %c = load <16 x float>, ptr %after, align 4
  %ab = fadd <16 x float> %a, %b
  %abc = fadd <16 x float> %ab, %c
  store <16 x float> %abc, ptr %out, align 4
  ret void
}

; Doubles two beside each other, of two registers: sixteen bytes.
; CHECK-LABEL: @two(
; CHECK: %middle = load <16 x double>, ptr %p, align 8
; CHECK: %[[END:.*]] = getelementptr i8, ptr %p, i64 128
; CHECK: load <2 x i64>, ptr %[[END]], align 8
; CHECK: shufflevector <16 x i64> %{{.*}}, <16 x i64> %{{.*}}, <16 x i32> <i32 2, i32 3, {{.*}}, i32 17>
define void @two(ptr %p, ptr noalias %out) {
  %after = getelementptr i8, ptr %p, i64 16
  %a = load <16 x double>, ptr %p, align 8
  %b = load <16 x double>, ptr %after, align 8
  %sum = fadd <16 x double> %a, %b
  store <16 x double> %sum, ptr %out, align 8
  ret void
}

; Written in between, three elements apart, half a register, or of another base: as they were.
; CHECK-LABEL: @others(
; CHECK-NOT: shufflevector
; CHECK: ret void
define void @others(ptr %p, ptr %q, ptr %out) {
  %after = getelementptr i8, ptr %p, i64 4
  %far = getelementptr i8, ptr %p, i64 12
  %a = load <16 x i32>, ptr %p, align 4
  %d = load <16 x i32>, ptr %far, align 4
  %f = load <16 x i32>, ptr %q, align 4
  %ad = add <16 x i32> %a, %d
  %adf = add <16 x i32> %ad, %f
  store <16 x i32> %adf, ptr %out, align 4
  %b = load <16 x i32>, ptr %after, align 4
  store <16 x i32> %b, ptr %out, align 4
  %g = load <8 x i32>, ptr %p, align 4
  %h = load <8 x i32>, ptr %after, align 4
  %gh = add <8 x i32> %g, %h
  store <8 x i32> %gh, ptr %out, align 4
  ret void
}
