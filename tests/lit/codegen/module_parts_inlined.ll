; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; What is to be inlined into a function goes where that goes, though the parts would be more even without, and is known
; there alone, so that it can go. No part is without a function.
; RUN: %opt --passes=verify --parts=2 --part=0 %s | %check --check-prefix=FIRST
; RUN: %opt --passes=verify --parts=2 --part=1 %s | %check --check-prefix=SECOND
; RUN: not %opt --passes=verify --parts=3 --part=2 %s 2>&1 | %check --check-prefix=NONE
; NONE: error: there are 2 parts

; FIRST: define internal i32 @largest(
; SECOND: declare {{.*}}i32 @largest(i32)
define internal i32 @largest(i32 %x) {
  %a = mul i32 %x, %x
  %b = mul i32 %a, %a
  %c = mul i32 %b, %b
  %d = mul i32 %c, %c
  %e = mul i32 %d, %d
  %f = mul i32 %e, %e
  ret i32 %f
}

; FIRST: define internal i32 @inlined(
; SECOND: declare {{.*}}i32 @inlined(i32)
define internal i32 @inlined(i32 %x) {
  %a = add i32 %x, 1
  %b = mul i32 %a, %x
  %c = add i32 %b, %a
  ret i32 %c
}

; FIRST: define void @calls(
; SECOND: declare void @calls(ptr)
define void @calls(ptr %p) {
  %v = load i32, ptr %p
  %r = call i32 @inlined(i32 %v) alwaysinline
  %s = call i32 @largest(i32 %r) alwaysinline
  store i32 %s, ptr %p
  ret void
}

; FIRST: declare void @other(ptr)
; SECOND: define void @other(
define void @other(ptr %p) {
  store i32 5, ptr %p
  ret void
}
