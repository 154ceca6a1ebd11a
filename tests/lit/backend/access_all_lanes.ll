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

declare <64 x i8> @llvm.masked.load.v64i8.p0(ptr, <64 x i1>, <64 x i8>)
declare void @llvm.masked.store.v64i8.p0(<64 x i8>, ptr, <64 x i1>)
declare <16 x i8> @llvm.masked.load.v16i8.p0(ptr, <16 x i1>, <16 x i8>)

; Rows of very many lanes become loops.
; CHECK-LABEL: @long_load(
; CHECK: [[LIVE:%.*]] = alloca <64 x i8>
; CHECK: store <64 x i8> %otherwise
; CHECK: br label %[[HEAD:.*]]
; CHECK: [[HEAD]]:
; CHECK: [[LANE:%.*]] = phi i64
; CHECK: br i1
; CHECK: [[BYTE:%.*]] = load i8, ptr {{%.*}}, align 1, !alias.scope
; CHECK: store i8 [[BYTE]]
; CHECK: icmp eq i64 {{%.*}}, 64
; CHECK: [[ALL:%.*]] = load <64 x i8>
; CHECK: ret <64 x i8> [[ALL]]
define <64 x i8> @long_load(ptr %p, <64 x i1> %mask, <64 x i8> %otherwise) {
  %v = call <64 x i8> @llvm.masked.load.v64i8.p0(ptr align 1 %p, <64 x i1> %mask, <64 x i8> %otherwise), !alias.scope !2
  ret <64 x i8> %v
}

; Masks and values lie apart, though both are bytes here.
; CHECK-LABEL: @long_store(
; CHECK: alloca <64 x i8>
; CHECK: alloca <64 x i8>
; CHECK: phi i64
; CHECK: br i1
; CHECK: [[BYTE:%.*]] = load i8
; CHECK: store i8 [[BYTE]], ptr {{%.*}}, align 1
; CHECK-NOT: call
; CHECK: ret void
define void @long_store(<64 x i8> %v, ptr %p, <64 x i1> %mask) {
  call void @llvm.masked.store.v64i8.p0(<64 x i8> %v, ptr align 1 %p, <64 x i1> %mask)
  ret void
}

; CHECK-LABEL: @short_load(
; CHECK-NEXT: call <16 x i8> @llvm.masked.load
define <16 x i8> @short_load(ptr %p, <16 x i1> %mask) {
  %v = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr align 1 %p, <16 x i1> %mask, <16 x i8> poison)
  ret <16 x i8> %v
}

!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}
