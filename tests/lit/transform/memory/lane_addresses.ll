; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lane-addresses %s | %check
; Where there are no gathers and scatters, lanes that are known distances apart are accessed beside one address.

; CHECK-LABEL: define void @constant(
; CHECK-NOT: x ptr>
; CHECK: %[[FIRST:.*]] = extractelement <4 x float> %v, i64 0
; CHECK-NEXT: store float %[[FIRST]], ptr %[[BASE:.*]], align 4
; CHECK-NEXT: %[[SECOND:.*]] = extractelement <4 x float> %v, i64 1
; CHECK-NEXT: store float %[[SECOND]]
; CHECK: ret void
define void @constant(ptr %p, i64 %i, <4 x float> %v) {
  %base = getelementptr float, ptr %p, i64 %i
  %at = getelementptr float, ptr %base, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter(<4 x float> %v, <4 x ptr> align 4 %at, <4 x i1> splat (i1 true))
  ret void
}

; Lanes that are not live are left alone, and so are their addresses.
; CHECK-LABEL: define <4 x i32> @known_mask(
; CHECK: getelementptr i8, ptr %p, i64 8
; CHECK: %[[X:.*]] = load i32
; CHECK-NEXT: insertelement <4 x i32> %else, i32 %[[X]], i64 0
; CHECK-NEXT: %[[Y:.*]] = load i32
; CHECK-NEXT: %[[ALL:.*]] = insertelement <4 x i32> %{{.*}}, i32 %[[Y]], i64 1
; CHECK-NEXT: ret <4 x i32> %[[ALL]]
define <4 x i32> @known_mask(ptr %p, <4 x i32> %else) {
  %at = getelementptr i8, ptr %p, <4 x i64> <i64 0, i64 8, i64 poison, i64 poison>
  %x = call <4 x i32> @llvm.masked.gather(<4 x ptr> align 4 %at, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x i32> %else)
  ret <4 x i32> %x
}

; A distance that the program computes.
; CHECK-LABEL: define <4 x i32> @step(
; CHECK: %[[STEP:.*]] = mul i64 %n, 4
; CHECK-NEXT: %[[B:.*]] = getelementptr i8, ptr %p, i64 %[[STEP]]
; CHECK: load i32, ptr %p,
; CHECK: load i32, ptr %[[B]],
; CHECK-NOT: gather
; CHECK: ret <4 x i32>
define <4 x i32> @step(ptr %p, i64 %n) {
  %one = insertelement <4 x i64> poison, i64 %n, i64 0
  %splat = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %index = mul <4 x i64> %splat, <i64 0, i64 1, i64 2, i64 3>
  %at = getelementptr i32, ptr %p, <4 x i64> %index
  %x = call <4 x i32> @llvm.masked.gather(<4 x ptr> align 4 %at, <4 x i1> splat (i1 true), <4 x i32> poison)
  ret <4 x i32> %x
}

; Each lane asks whether it is live.
; CHECK-LABEL: define void @some(
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %mask to i4
; CHECK: and i4 %[[BITS]], 1
; CHECK: br i1
; CHECK: store float
; CHECK: and i4 %[[BITS]], 2
define void @some(ptr %p, <4 x float> %v, <4 x i1> %mask) {
  %at = getelementptr float, ptr %p, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter(<4 x float> %v, <4 x ptr> align 4 %at, <4 x i1> %mask)
  ret void
}

; Of those that are not, the result is the other one. The address is a sum of what is the same and what is not.
; CHECK-LABEL: define <4 x i32> @some_of_sum(
; CHECK: %[[AT:.*]] = getelementptr i8, ptr %p, i64 %{{.*}}
; CHECK: and i4 %{{.*}}, 1
; CHECK: load i32
; CHECK: phi <4 x i32> [ %{{.*}}, %{{.*}} ], [ %else, %{{.*}} ]
; CHECK-NOT: gather
; CHECK: ret <4 x i32>
define <4 x i32> @some_of_sum(ptr %p, i64 %i, i64 %n, <4 x i32> %else, <4 x i1> %mask) {
  %one = insertelement <4 x i64> poison, i64 %n, i64 0
  %splat = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
  %steps = mul <4 x i64> %splat, <i64 1, i64 3, i64 5, i64 7>
  %two = insertelement <4 x i64> poison, i64 %i, i64 0
  %same = shufflevector <4 x i64> %two, <4 x i64> poison, <4 x i32> zeroinitializer
  %index = add <4 x i64> %same, %steps
  %at = getelementptr i32, ptr %p, <4 x i64> %index
  %x = call <4 x i32> @llvm.masked.gather(<4 x ptr> align 4 %at, <4 x i1> %mask, <4 x i32> %else)
  ret <4 x i32> %x
}

; Anywhere.
; CHECK-LABEL: define void @unknown(
; CHECK: call void @llvm.masked.scatter
define void @unknown(ptr %p, <4 x i64> %index, <4 x float> %v) {
  %at = getelementptr float, ptr %p, <4 x i64> %index
  call void @llvm.masked.scatter(<4 x float> %v, <4 x ptr> align 4 %at, <4 x i1> splat (i1 true))
  ret void
}

; 32 bits may wrap around between lanes.
; CHECK-LABEL: define void @narrow(
; CHECK: call void @llvm.masked.scatter
define void @narrow(ptr %p, i32 %i, <4 x float> %v) {
  %one = insertelement <4 x i32> poison, i32 %i, i64 0
  %splat = shufflevector <4 x i32> %one, <4 x i32> poison, <4 x i32> zeroinitializer
  %index = add <4 x i32> %splat, <i32 0, i32 1, i32 2, i32 3>
  %at = getelementptr float, ptr %p, <4 x i32> %index
  call void @llvm.masked.scatter(<4 x float> %v, <4 x ptr> align 4 %at, <4 x i1> splat (i1 true))
  ret void
}
