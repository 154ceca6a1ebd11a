; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=count-by-select %s | %check
; Sums of four registers with a mask become selects; others stay.

; CHECK-LABEL: define <64 x i32> @more(
; CHECK: [[A:%.*]] = add <64 x i32> %a, splat (i32 1)
; CHECK-NEXT: [[R:%.*]] = select <64 x i1> %m, <64 x i32> [[A]], <64 x i32> %a
; CHECK-NEXT: ret <64 x i32> [[R]]
define <64 x i32> @more(<64 x i1> %m, <64 x i32> %a) {
  %z = zext <64 x i1> %m to <64 x i32>
  %r = add <64 x i32> %z, %a
  ret <64 x i32> %r
}

; CHECK-LABEL: define <32 x i64> @less(
; CHECK: [[A:%.*]] = sub <32 x i64> %a, splat (i64 1)
; CHECK-NEXT: [[R:%.*]] = select <32 x i1> %m, <32 x i64> [[A]], <32 x i64> %a
; CHECK-NEXT: ret <32 x i64> [[R]]
define <32 x i64> @less(<32 x i1> %m, <32 x i64> %a) {
  %z = zext <32 x i1> %m to <32 x i64>
  %r = sub <32 x i64> %a, %z
  ret <32 x i64> %r
}

; A mask's sign extension is -1.
; CHECK-LABEL: define <32 x i64> @more_signed(
; CHECK: [[A:%.*]] = sub <32 x i64> %a, splat (i64 -1)
; CHECK-NEXT: [[R:%.*]] = select <32 x i1> %m, <32 x i64> [[A]], <32 x i64> %a
; CHECK-NEXT: ret <32 x i64> [[R]]
define <32 x i64> @more_signed(<32 x i1> %m, <32 x i64> %a) {
  %s = sext <32 x i1> %m to <32 x i64>
  %r = sub <32 x i64> %a, %s
  ret <32 x i64> %r
}

; CHECK-LABEL: define <32 x i32> @narrow(
; CHECK: add <32 x i32> %a, %z
define <32 x i32> @narrow(<32 x i1> %m, <32 x i32> %a) {
  %z = zext <32 x i1> %m to <32 x i32>
  %r = add <32 x i32> %a, %z
  ret <32 x i32> %r
}

; CHECK-LABEL: define <64 x i32> @of_bytes(
; CHECK: add <64 x i32> %a, %z
define <64 x i32> @of_bytes(<64 x i8> %b, <64 x i32> %a) {
  %z = zext <64 x i8> %b to <64 x i32>
  %r = add <64 x i32> %a, %z
  ret <64 x i32> %r
}

; The mask may be either operand.
; CHECK-LABEL: define <64 x i32> @of_both(
; CHECK: [[A:%.*]] = add <64 x i32> %w, splat (i32 1)
; CHECK-NEXT: [[R:%.*]] = select <64 x i1> %m, <64 x i32> [[A]], <64 x i32> %w
; CHECK-NEXT: ret <64 x i32> [[R]]
define <64 x i32> @of_both(<64 x i1> %m, <64 x i8> %b) {
  %z = zext <64 x i1> %m to <64 x i32>
  %w = zext <64 x i8> %b to <64 x i32>
  %r = add <64 x i32> %z, %w
  ret <64 x i32> %r
}
