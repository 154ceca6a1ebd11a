; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=single-lane-stores %s | %check
; A masked store of one known lane is a scalar store; LLVM would store the whole of a number that is truncated.

; CHECK-LABEL: define void @one(
; CHECK: %[[P:.*]] = getelementptr i32, ptr %p, i64 2
; CHECK: %[[X:.*]] = extractelement <4 x i32> %t, i64 2
; CHECK: store i32 %[[X]], ptr %[[P]], align 4
; CHECK-NEXT: ret void
define void @one(<4 x i64> %x, ptr %p) {
  %t = trunc <4 x i64> %x to <4 x i32>
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %t, ptr align 4 %p, <4 x i1> <i1 0, i1 0, i1 1, i1 0>)
  ret void
}

; CHECK-LABEL: define void @two(
; CHECK: call void @llvm.masked.store
define void @two(<4 x i32> %x, ptr %p) {
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %x, ptr align 4 %p, <4 x i1> <i1 1, i1 0, i1 1, i1 0>)
  ret void
}
