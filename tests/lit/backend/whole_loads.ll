; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=whole-loads %s | %check

declare <16 x i8> @llvm.masked.load.v16i8.p0(ptr, <16 x i1>, <16 x i8>)
declare <8 x i32> @llvm.masked.load.v8i32.p0(ptr, <8 x i1>, <8 x i32>)

; CHECK-LABEL: @bytes(
; CHECK: [[BITS:%.*]] = bitcast <16 x i1> %mask to i16
; CHECK: [[LIVE:%.*]] = icmp ne i16 [[BITS]], 0
; CHECK: [[PLACE:%.*]] = and i64 {{%.*}}, 4095
; CHECK: [[FITS:%.*]] = icmp ule i64 [[PLACE]], 4080
; CHECK: [[BOTH:%.*]] = and i1 [[LIVE]], [[FITS]]
; CHECK: br i1 [[BOTH]], label %[[WHOLE:.*]], label %[[APART:.*]], !prof
; CHECK: [[WHOLE]]:
; CHECK: [[ALL:%.*]] = load <16 x i8>, ptr %p, align 1
; CHECK: select <16 x i1> %mask, <16 x i8> [[ALL]], <16 x i8> %other
; CHECK: [[APART]]:
; CHECK: call <16 x i8> @llvm.masked.load
; CHECK: phi <16 x i8>
define <16 x i8> @bytes(ptr %p, <16 x i1> %mask, <16 x i8> %other) {
  %v = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr align 1 %p, <16 x i1> %mask, <16 x i8> %other)
  ret <16 x i8> %v
}

; There are such instructions.
; CHECK-LABEL: @words(
; CHECK-NEXT: call <8 x i32> @llvm.masked.load
; CHECK-NEXT: ret
define <8 x i32> @words(ptr %p, <8 x i1> %mask, <8 x i32> %other) {
  %v = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x i32> %other)
  ret <8 x i32> %v
}
