; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='print<small-ranges>' %s -o /dev/null 2>&1 | %check
; Which values integers can have, and whether they fit into 16 bits.

; CHECK-LABEL: small-ranges of 'k':
; CHECK: full-set i16 u16: %byte = load i8
; CHECK: [0,256) i16 u16: %a = zext i8 %byte to i32
; CHECK: [-128,128) i16: %b = sext i8 %byte to i32
; CHECK: [0,65026) u16: %product = mul i32 %a, %a
; CHECK: [-255,256) i16: %difference = sub i32 %a, %c
; CHECK: [0,256) i16 u16: %distance = call i32 @llvm.abs.i32
; CHECK-NEXT: [0,128) i16 u16: %half = lshr i32 %a, 1
; CHECK-NEXT: full-set: %any = load i32
; CHECK-NEXT: [0,1000) i16 u16: %clamped = call i32 @llvm.umin.i32
; CHECK: [-128,256) i16: %either = select
; CHECK: [-510,511) i16: %twice = shl i32 %difference, 1
; CHECK: full-set: %lost = shl i32 %b, 31
; CHECK: [-128,128) i16: %vector = sext <4 x i8>
define void @k(ptr %p, i1 %which) {
  %byte = load i8, ptr %p
  %a = zext i8 %byte to i32
  %b = sext i8 %byte to i32
  %product = mul i32 %a, %a
  %other = load i8, ptr %p
  %c = zext i8 %other to i32
  %difference = sub i32 %a, %c
  %distance = call i32 @llvm.abs.i32(i32 %difference, i1 false)
  %half = lshr i32 %a, 1
  %any = load i32, ptr %p
  %clamped = call i32 @llvm.umin.i32(i32 %any, i32 999)
  %either = select i1 %which, i32 %a, i32 %b
  %twice = shl i32 %difference, 1
  %lost = shl i32 %b, 31
  %bytes = load <4 x i8>, ptr %p
  %vector = sext <4 x i8> %bytes to <4 x i32>
  ret void
}
