; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-division %s | %check
; Division by zero and MIN / -1 divide by 1 instead; safe constants are left alone.

; CHECK-LABEL: @unsigned(
; CHECK-NEXT: %[[ZERO:.*]] = icmp eq i32 %b, 0
; CHECK-NEXT: %[[D:.*]] = select i1 %[[ZERO]], i32 1, i32 %b
; CHECK-NEXT: udiv i32 %a, %[[D]]
define i32 @unsigned(i32 %a, i32 %b) {
  %q = udiv exact i32 %a, %b
  ret i32 %q
}

; CHECK-LABEL: @signed(
; CHECK-DAG: %[[ZERO:.*]] = icmp eq i32 %b, 0
; CHECK-DAG: %[[MIN:.*]] = icmp eq i32 %a, -2147483648
; CHECK-DAG: %[[MINUS:.*]] = icmp eq i32 %b, -1
; CHECK: %[[BOTH:.*]] = and i1 %[[MIN]], %[[MINUS]]
; CHECK: %[[BAD:.*]] = or i1 %[[ZERO]], %[[BOTH]]
; CHECK: %[[D:.*]] = select i1 %[[BAD]], i32 1, i32 %b
; CHECK: srem i32 %a, %[[D]]
define i32 @signed(i32 %a, i32 %b) {
  %r = srem i32 %a, %b
  ret i32 %r
}

; CHECK-LABEL: @safe(
; CHECK-NEXT: sdiv i32 %a, 7
; CHECK-NEXT: udiv i32 %{{.*}}, -1
; CHECK-NEXT: ret
define i32 @safe(i32 %a) {
  %q = sdiv i32 %a, 7
  %r = udiv i32 %q, -1
  ret i32 %r
}

; CHECK-LABEL: @vector(
; CHECK-NEXT: udiv <2 x i32> %a, <i32 3, i32 5>
; CHECK-NEXT: udiv <2 x i32> %{{.*}}, <i32 3, i32 1>
define <2 x i32> @vector(<2 x i32> %a) {
  %q = udiv <2 x i32> %a, <i32 3, i32 5>
  %r = udiv <2 x i32> %q, <i32 3, i32 0>
  ret <2 x i32> %r
}

; What LLVM's folder makes of 1 / 0 when clang writes it.
; CHECK-LABEL: @folded(
; CHECK-NEXT: store i32 0, ptr %p
define void @folded(ptr %p) {
  store i32 poison, ptr %p
  ret void
}
