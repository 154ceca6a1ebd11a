; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=constant-masks %s | %check
; Masked accesses of which it is known which lanes are live.

declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)

; One lane is a scalar, wherever it is.
; CHECK-LABEL: @one(
; CHECK: %[[FROM:.*]] = getelementptr i32, ptr %p, i64 2
; CHECK: %[[VALUE:.*]] = load i32, ptr %[[FROM]], align 4
; CHECK: insertelement <4 x i32> %other, i32 %[[VALUE]], i64 2
; CHECK: %[[TO:.*]] = getelementptr i32, ptr %q, i64 3
; CHECK: %[[LAST:.*]] = extractelement <4 x i32> %v, i64 3
; CHECK: store i32 %[[LAST]], ptr %[[TO]], align 4
; CHECK-NOT: masked
; CHECK: ret
define <4 x i32> @one(ptr %p, ptr %q, <4 x i32> %v, <4 x i32> %other) {
  %x = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %p, <4 x i1> <i1 false, i1 false, i1 true, i1 false>, <4 x i32> %other)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr align 4 %q, <4 x i1> <i1 false, i1 false, i1 false, i1 true>)
  ret <4 x i32> %x
}

; Odd lanes and what is before them are in one vector of local memory.
; CHECK-LABEL: @odd(
; CHECK: %[[PLACE:.*]] = getelementptr i32, ptr %before, i64 1
; CHECK: %[[EVEN:.*]] = load <4 x i32>, ptr %[[PLACE]], align 4
; CHECK: shufflevector <4 x i32> %[[EVEN]], <4 x i32> poison, <4 x i32> <i32 4, i32 0, i32 6, i32 2>
; CHECK: %[[ODD:.*]] = load <4 x i32>, ptr %p, align 4
; CHECK: shufflevector <4 x i32> %[[ODD]], <4 x i32> %other, <4 x i32> <i32 4, i32 1, i32 6, i32 3>
; CHECK: call void @llvm.masked.store.v4i32.p0(<4 x i32> %{{.*}}, ptr align 4 %p, <4 x i1> <i1 false, i1 true, i1 false, i1 true>), !clotho.local_memory
; CHECK: ret
define void @odd(ptr %p, <4 x i32> %other) {
  %before = getelementptr i8, ptr %p, i64 -4
  %x = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %before, <4 x i1> <i1 false, i1 true, i1 false, i1 true>, <4 x i32> poison)
  %y = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %p, <4 x i1> <i1 false, i1 true, i1 false, i1 true>, <4 x i32> %other)
  %sum = add <4 x i32> %x, %y
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %sum, ptr align 4 %p, <4 x i1> <i1 false, i1 true, i1 false, i1 true>), !clotho.local_memory !0
  ret void
}

; A store moves to where the others are, with its lanes.
; CHECK-LABEL: @exchanged(
; CHECK: %[[MOVED:.*]] = shufflevector <4 x i32> %y, <4 x i32> poison, <4 x i32> <i32 poison, i32 0, i32 poison, i32 2>
; CHECK: call void @llvm.masked.store.v4i32.p0(<4 x i32> %[[MOVED]], ptr align 4 %{{.*}}, <4 x i1> <i1 false, i1 true, i1 false, i1 true>), !clotho.local_memory
define void @exchanged(ptr %p, <4 x i32> %x, <4 x i32> %y) {
  %next = getelementptr i32, ptr %p, i64 1
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %x, ptr align 4 %p, <4 x i1> <i1 true, i1 false, i1 true, i1 false>), !clotho.local_memory !0
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %y, ptr align 4 %next, <4 x i1> <i1 true, i1 false, i1 true, i1 false>), !clotho.local_memory !0
  ret void
}

; No vector holds five elements. Nothing says that global memory may be read beside them.
; CHECK-LABEL: @far(
; CHECK: call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %before
; CHECK: call void @llvm.masked.store
; CHECK-LABEL: @global(
; CHECK: call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %before
define void @far(ptr %p) {
  %before = getelementptr i8, ptr %p, i64 -8
  %x = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %before, <4 x i1> <i1 false, i1 true, i1 false, i1 true>, <4 x i32> poison)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %x, ptr align 4 %p, <4 x i1> <i1 false, i1 true, i1 false, i1 true>), !clotho.local_memory !0
  ret void
}

define void @global(ptr %p) {
  %before = getelementptr i8, ptr %p, i64 -4
  %x = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %before, <4 x i1> <i1 false, i1 true, i1 false, i1 true>, <4 x i32> poison)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %x, ptr align 4 %p, <4 x i1> <i1 false, i1 true, i1 false, i1 true>)
  ret void
}

!0 = !{}
