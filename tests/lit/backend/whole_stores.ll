; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=whole-stores %s | %check
; Masked stores ask whether all lanes are live, once for those under one mask.

declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, <8 x i1>)

; CHECK-LABEL: @both(
; CHECK: [[BITS:%.*]] = bitcast <8 x i1> %mask to i8
; CHECK: [[ALL:%.*]] = icmp eq i8 [[BITS]], -1
; CHECK: br i1 [[ALL]], label %[[WHOLE:.*]], label %[[SOME:.*]], !prof
; CHECK: [[WHOLE]]:
; CHECK: store <8 x i32> %v, ptr %p, align 4
; CHECK: store <8 x i32> %w, ptr %q, align 32
; CHECK: [[SOME]]:
; CHECK: call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr align 4 %p, <8 x i1> %mask)
; CHECK: call void @llvm.masked.store.v8i32.p0(<8 x i32> %w, ptr align 32 %q, <8 x i1> %mask)
; CHECK: ret void
define void @both(ptr %p, ptr %q, <8 x i1> %mask, <8 x i32> %v, <8 x i32> %w) {
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr align 4 %p, <8 x i1> %mask)
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %w, ptr align 32 %q, <8 x i1> %mask)
  ret void
}

; What is read between them stays between them.
; CHECK-LABEL: @apart(
; CHECK: br i1
; CHECK: load i32, ptr %q
; CHECK: br i1
; CHECK: ret
define i32 @apart(ptr %p, ptr %q, <8 x i1> %mask, <8 x i32> %v) {
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr align 4 %p, <8 x i1> %mask)
  %x = load i32, ptr %q
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr align 4 %q, <8 x i1> %mask)
  ret i32 %x
}

; Some lanes are known not to be live.
; CHECK-LABEL: @known(
; CHECK-NEXT: call void @llvm.masked.store
define void @known(ptr %p, <8 x i32> %v) {
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr align 4 %p, <8 x i1> <i1 true, i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>)
  ret void
}
