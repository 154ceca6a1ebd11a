; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=access-all-lanes %s | %check
; A target without gathers.

@table = internal constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0]

declare <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr>, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4i16.v4p0(<4 x i16>, <4 x ptr>, <4 x i1>)

; CHECK-LABEL: @anywhere(
; CHECK: [[FREE:%.*]] = alloca float
; CHECK: [[ALL:%.*]] = insertelement <4 x ptr> poison, ptr [[FREE]]
; CHECK: [[SPLAT:%.*]] = shufflevector <4 x ptr> [[ALL]]
; CHECK: [[PLACES:%.*]] = select <4 x i1> %mask, <4 x ptr> %places, <4 x ptr> [[SPLAT]]
; CHECK: [[LOADED:%.*]] = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 [[PLACES]], <4 x i1> splat (i1 true), <4 x float> poison)
; CHECK: select <4 x i1> %mask, <4 x float> [[LOADED]], <4 x float> %otherwise
define <4 x float> @anywhere(<4 x ptr> %places, <4 x i1> %mask, <4 x float> %otherwise) {
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %places, <4 x i1> %mask, <4 x float> %otherwise)
  ret <4 x float> %v
}

; What is surely there serves lanes that are not live, and no lane asks for another value.
; CHECK-LABEL: @in_table(
; CHECK-NOT: alloca
; CHECK: [[INDEX:%.*]] = select <4 x i1> %mask, <4 x i32> %index, <4 x i32> zeroinitializer
; CHECK: [[WIDE:%.*]] = zext <4 x i32> [[INDEX]] to <4 x i64>
; CHECK: [[PLACES:%.*]] = getelementptr float, ptr @table, <4 x i64> [[WIDE]]
; CHECK: [[LOADED:%.*]] = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 [[PLACES]], <4 x i1> splat (i1 true)
; CHECK-NEXT: ret <4 x float> [[LOADED]]
define <4 x float> @in_table(<4 x i32> %index, <4 x i1> %mask) {
  %wide = zext <4 x i32> %index to <4 x i64>
  %places = getelementptr float, ptr @table, <4 x i64> %wide
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %places, <4 x i1> %mask, <4 x float> poison)
  ret <4 x float> %v
}

; Memory that may end anywhere does not.
; CHECK-LABEL: @in_buffer(
; CHECK: [[FREE:%.*]] = alloca float
; CHECK: select <4 x i1> %mask, <4 x ptr> %places
define <4 x float> @in_buffer(ptr %buffer, <4 x i64> %index, <4 x i1> %mask) {
  %places = getelementptr float, ptr %buffer, <4 x i64> %index
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %places, <4 x i1> %mask, <4 x float> poison)
  ret <4 x float> %v
}

; CHECK-LABEL: @scatter(
; CHECK: [[FREE:%.*]] = alloca i16
; CHECK: [[PLACES:%.*]] = select <4 x i1> %mask, <4 x ptr> %places
; CHECK: call void @llvm.masked.scatter.v4i16.v4p0(<4 x i16> %v, <4 x ptr> align 2 [[PLACES]], <4 x i1> splat (i1 true))
define void @scatter(<4 x i16> %v, <4 x ptr> %places, <4 x i1> %mask) {
  call void @llvm.masked.scatter.v4i16.v4p0(<4 x i16> %v, <4 x ptr> align 2 %places, <4 x i1> %mask)
  ret void
}

; CHECK-LABEL: @no_mask(
; CHECK-NOT: alloca
define <4 x float> @no_mask(<4 x ptr> %places) {
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %places, <4 x i1> splat (i1 true), <4 x float> poison)
  ret <4 x float> %v
}
