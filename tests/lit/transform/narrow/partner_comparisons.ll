; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=partner-comparisons %s | %check
; One bit tells which of two numbers is larger that differ by an exclusive or with a constant.

; CHECK-LABEL: @above(
; CHECK: %[[BIT:.*]] = and i32 %l, 4
; CHECK: %[[IS:.*]] = icmp eq i32 %[[BIT]], 0
; CHECK: ret i1 %[[IS]]
define i1 @above(i32 %l) {
  %other = xor i32 %l, 7
  %is = icmp ugt i32 %other, %l
  ret i1 %is
}

; CHECK-LABEL: @below(
; CHECK: %[[BIT:.*]] = and i64 %l, 2
; CHECK: icmp ne i64 %[[BIT]], 0
define i1 @below(i64 %l) {
  %other = xor i64 %l, 2
  %is = icmp sge i64 %l, %other
  ret i1 %is
}

; The sign is the other way round.
; CHECK-LABEL: @signs(
; CHECK: and i32 %l, -2147483648
; CHECK: icmp ne
; CHECK: and i32 %l, -2147483648
; CHECK: icmp eq
define i1 @signs(i32 %l) {
  %other = xor i32 %l, -3
  %is = icmp sgt i32 %other, %l
  %unsigned = icmp ugt i32 %other, %l
  %both = xor i1 %is, %unsigned
  ret i1 %both
}

; CHECK-LABEL: @others(
; CHECK: icmp ugt i32 %other, %l
; CHECK: icmp eq i32 %two, %l
; CHECK: icmp ult i32 %two, %d
define i1 @others(i32 %l, i32 %d) {
  %other = xor i32 %l, %d
  %a = icmp ugt i32 %other, %l
  %two = xor i32 %l, 2
  %b = icmp eq i32 %two, %l
  %c = icmp ult i32 %two, %d
  %ab = or i1 %a, %b
  %abc = or i1 %ab, %c
  ret i1 %abc
}
