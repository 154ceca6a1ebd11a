; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: not %opt --passes=inline-work-item-functions %s 2>&1 | %check
; CHECK: the function 'again' calls itself; OpenCL C does not support recursion

declare i64 @clotho.local_id(i32)

define internal i64 @again(i64 %n) {
  %id = call i64 @clotho.local_id(i32 0)
  %r = call i64 @again(i64 %id)
  ret i64 %r
}

define spir_kernel void @k() {
  %r = call i64 @again(i64 3)
  ret void
}
