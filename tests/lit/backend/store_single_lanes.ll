; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=store-single-lanes %s | %check
; A mask that lets one lane pass makes a plain store of that lane. Other masks stay.

declare void @llvm.masked.store.v4i8.p0(<4 x i8>, ptr, <4 x i1>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)

; CHECK-LABEL: define void @first(
; CHECK-NEXT: [[N:%.*]] = trunc <4 x i32> %v to <4 x i8>
; CHECK-NEXT: [[L:%.*]] = extractelement <4 x i8> [[N]], i64 0
; CHECK: store i8 [[L]], ptr {{.*}}, align 4
; CHECK-NEXT: ret void
define void @first(<4 x i32> %v, ptr %p) {
  %n = trunc <4 x i32> %v to <4 x i8>
  call void @llvm.masked.store.v4i8.p0(<4 x i8> %n, ptr align 4 %p, <4 x i1> <i1 true, i1 false, i1 false, i1 false>)
  ret void
}

; CHECK-LABEL: define void @third(
; CHECK-NEXT: [[L:%.*]] = extractelement <4 x i32> %v, i64 2
; CHECK-NEXT: [[P:%.*]] = getelementptr i32, ptr %p, i64 2
; CHECK-NEXT: store i32 [[L]], ptr [[P]], align 8
; CHECK-NEXT: ret void
define void @third(<4 x i32> %v, ptr %p) {
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr align 16 %p, <4 x i1> <i1 false, i1 undef, i1 true, i1 false>)
  ret void
}

; CHECK-LABEL: define void @others(
; CHECK-COUNT-3: call void @llvm.masked.store
; CHECK-NEXT: ret void
define void @others(<4 x i32> %v, ptr %p, <4 x i1> %m) {
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr align 4 %p, <4 x i1> <i1 true, i1 true, i1 false, i1 false>)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr align 4 %p, <4 x i1> zeroinitializer)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr align 4 %p, <4 x i1> %m)
  ret void
}
