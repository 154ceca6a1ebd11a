; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=part-bit-selects,dce %s | %check
; A choice between a bit select and a part of it becomes a bit select of choices, whichever part it is.

declare <8 x float> @llvm.copysign.v8f32(<8 x float>, <8 x float>)

; CHECK-LABEL: define <8 x i32> @bits(
; CHECK: [[Y:%.*]] = select <8 x i1> %m, <8 x i32> %y, <8 x i32> %x
; CHECK: [[A:%.*]] = and <8 x i32> %x, splat (i32 85)
; CHECK: [[B:%.*]] = and <8 x i32> [[Y]], splat (i32 -86)
; CHECK: [[O:%.*]] = or <8 x i32> [[A]], [[B]]
; CHECK-NEXT: ret <8 x i32> [[O]]
define <8 x i32> @bits(<8 x i32> %x, <8 x i32> %y, <8 x i1> %m) {
  %a = and <8 x i32> %x, splat (i32 85)
  %b = and <8 x i32> %y, splat (i32 -86)
  %c = or <8 x i32> %a, %b
  %r = select <8 x i1> %m, <8 x i32> %c, <8 x i32> %x
  ret <8 x i32> %r
}

; CHECK-LABEL: define <8 x i32> @second_and_inverted(
; CHECK: [[X:%.*]] = select <8 x i1> %m, <8 x i32> %y, <8 x i32> %x
; CHECK: [[A:%.*]] = and <8 x i32> [[X]], splat (i32 85)
; CHECK: [[B:%.*]] = and <8 x i32> %y, splat (i32 -86)
; CHECK: [[O:%.*]] = or <8 x i32> [[A]], [[B]]
; CHECK-NEXT: ret <8 x i32> [[O]]
define <8 x i32> @second_and_inverted(<8 x i32> %x, <8 x i32> %y, <8 x i1> %m) {
  %a = and <8 x i32> %x, splat (i32 85)
  %b = and <8 x i32> %y, splat (i32 -86)
  %c = or <8 x i32> %a, %b
  %r = select <8 x i1> %m, <8 x i32> %y, <8 x i32> %c
  ret <8 x i32> %r
}

; CHECK-LABEL: define <8 x float> @sign(
; CHECK-NOT: copysign
; CHECK: select <8 x i1> %m, <8 x i32>
; CHECK-NOT: select
; CHECK: and <8 x i32> %{{.*}}, splat (i32 2147483647)
; CHECK: and <8 x i32> %{{.*}}, splat (i32 -2147483648)
; CHECK: ret
define <8 x float> @sign(<8 x float> %x, <8 x float> %y, <8 x i1> %m) {
  %c = call <8 x float> @llvm.copysign.v8f32(<8 x float> %y, <8 x float> %x)
  %r = select <8 x i1> %m, <8 x float> %c, <8 x float> %x
  ret <8 x float> %r
}

; By elements of another width.
; CHECK-LABEL: define <8 x float> @cast(
; CHECK: select <8 x i1> %m, <8 x i32>
; CHECK: and <8 x i32> %{{.*}}, <i32 -1, i32 0, i32 -1, i32 0, i32 -1, i32 0, i32 -1, i32 0>
; CHECK: ret
define <8 x float> @cast(<8 x float> %x, <4 x i64> %y, <8 x i1> %m) {
  %i = bitcast <8 x float> %x to <4 x i64>
  %a = and <4 x i64> %i, splat (i64 4294967295)
  %b = and <4 x i64> %y, splat (i64 -4294967296)
  %c = or <4 x i64> %a, %b
  %f = bitcast <4 x i64> %c to <8 x float>
  %r = select <8 x i1> %m, <8 x float> %f, <8 x float> %x
  ret <8 x float> %r
}

; What else is chosen has no part in it.
; CHECK-LABEL: define <8 x i32> @other(
; CHECK: %r = select <8 x i1> %m, <8 x i32> %c, <8 x i32> %z
define <8 x i32> @other(<8 x i32> %x, <8 x i32> %y, <8 x i32> %z, <8 x i1> %m) {
  %a = and <8 x i32> %x, splat (i32 85)
  %b = and <8 x i32> %y, splat (i32 -86)
  %c = or <8 x i32> %a, %b
  %r = select <8 x i1> %m, <8 x i32> %c, <8 x i32> %z
  ret <8 x i32> %r
}

; Unoptimised code has choices of which one side is undefined. Instruction selection forgets them first.
; CHECK-LABEL: define <8 x i32> @undefined(
; CHECK: [[Y:%.*]] = select <8 x i1> %m, <8 x i32> %y, <8 x i32> %x
; CHECK: [[A:%.*]] = and <8 x i32> %x, splat (i32 85)
; CHECK: [[B:%.*]] = and <8 x i32> [[Y]], splat (i32 -86)
; CHECK: [[O:%.*]] = or <8 x i32> [[A]], [[B]]
; CHECK-NEXT: ret <8 x i32> [[O]]
define <8 x i32> @undefined(<8 x i32> %x, <8 x i32> %y, <8 x i1> %m) {
  %n = xor <8 x i1> %m, splat (i1 true)
  %other = select <8 x i1> %n, <8 x i32> %x, <8 x i32> poison
  %a = and <8 x i32> %x, splat (i32 85)
  %b = and <8 x i32> %y, splat (i32 -86)
  %c = or <8 x i32> %a, %b
  %r = select <8 x i1> %m, <8 x i32> %c, <8 x i32> %other
  ret <8 x i32> %r
}
