; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=inline-work-item-functions,always-inline %s | %check
; Functions that query the work-item are inlined, even against noinline; functions that only compute are left alone.

declare i64 @clotho.local_id(i32)

define internal i64 @inner() noinline {
  %id = call i64 @clotho.local_id(i32 0)
  ret i64 %id
}

define internal i64 @outer() {
  %id = call i64 @inner() noinline
  ret i64 %id
}

; CHECK: define internal i64 @pure(i64 %x) #[[PURE:[0-9]+]]
define internal i64 @pure(i64 %x) noinline {
  ret i64 %x
}

; CHECK: define spir_kernel void @k(
; CHECK-NEXT: %[[ID:.*]] = call i64 @clotho.local_id(i32 0)
; CHECK-NEXT: call i64 @pure(i64 %[[ID]])
define spir_kernel void @k() {
  %id = call i64 @outer()
  %x = call i64 @pure(i64 %id)
  ret void
}
; CHECK-NOT: @inner
; CHECK-NOT: @outer
