; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='print<value-numbers>' %s -o /dev/null 2>&1 | %check
; Sums and products of integers have one number whatever the order of their operations.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK-LABEL: value-numbers of 'k':
; CHECK: [[INDEX:#[0-9]+]]: %index = add i64 %line, %x
; CHECK: [[INDEX]]: %again = add i64
; CHECK-NOT: [[INDEX]]: %next =
; CHECK: [[BELOW:#[0-9]+]]: %below = add i64 %again, %w
; CHECK: [[BELOW]]: %next = add i64
; CHECK: [[ADDRESS:#[0-9]+]]: %p = getelementptr float
; CHECK: [[ADDRESS]]: %q = getelementptr i8
; CHECK: [[LOAD:#[0-9]+]]: %first = load float
; CHECK-NOT: [[LOAD]]: %second
; CHECK: %second = load float
; CHECK: [[LEAST:#[0-9]+]]: %least = call i64 @llvm.umin.i64(i64 %x, i64 %y)
; CHECK: [[LEAST]]: %less = call i64 @llvm.umin.i64(i64 %y, i64 %x)
; CHECK: [[BEFORE:#[0-9]+]]: %before = sub i64
; CHECK: [[BEFORE]]: %before_too = add i64
define void @k(ptr addrspace(1) %a, i64 %x, i64 %y, i64 %w) {
  %line = mul i64 %y, %w
  %index = add i64 %line, %x
  %y1 = add i64 %y, 1
  %line1 = mul i64 %w, %y1
  %back = sub i64 %line1, %w
  %again = add i64 %x, %back
  %below = add i64 %again, %w
  %next = add i64 %line1, %x
  %p = getelementptr float, ptr addrspace(1) %a, i64 %index
  %bytes = shl i64 %again, 2
  %q = getelementptr i8, ptr addrspace(1) %a, i64 %bytes
  %first = load float, ptr addrspace(1) %p
  %second = load float, ptr addrspace(1) %p
  %least = call i64 @llvm.umin.i64(i64 %x, i64 %y)
  %less = call i64 @llvm.umin.i64(i64 %y, i64 %x)
  %last = add i64 %w, -1
  %before = sub i64 %last, %x
  %complement = xor i64 %x, -1
  %before_too = add i64 %w, %complement
  ret void
}
