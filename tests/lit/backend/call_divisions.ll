; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Divisions of vectors of 64 bits are calls in functions that have many of them, of one function for each operation.
; RUN: %opt --passes=call-divisions %s | %check

; CHECK-LABEL: define <8 x i64> @few(
; CHECK-NEXT: sdiv <8 x i64>
define <8 x i64> @few(<8 x i64> %a, <8 x i64> %b) {
  %q = sdiv <8 x i64> %a, %b
  ret <8 x i64> %q
}

; CHECK-LABEL: define <512 x i64> @many(
; CHECK-NEXT: %q = call <512 x i64> @clotho.sdiv.v512i64(<512 x i64> %a, <512 x i64> %b)
; CHECK-NEXT: %r = call <512 x i64> @clotho.urem.v512i64(<512 x i64> %q, <512 x i64> %b)
; CHECK-NEXT: %s = call <512 x i64> @clotho.sdiv.v512i64(<512 x i64> %r, <512 x i64> %b)
; CHECK-NEXT: %t = sdiv <512 x i64> %s, splat (i64 10)
define <512 x i64> @many(<512 x i64> %a, <512 x i64> %b) {
  %q = sdiv <512 x i64> %a, %b
  %r = urem <512 x i64> %q, %b
  %s = sdiv <512 x i64> %r, %b
  %t = sdiv <512 x i64> %s, splat (i64 10)
  ret <512 x i64> %t
}

; CHECK: define internal <512 x i64> @clotho.sdiv.v512i64(
; CHECK-NEXT: sdiv <512 x i64>
