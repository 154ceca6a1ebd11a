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

; Extensions of sums and products that do not wrap around are sums and products of extensions.
; CHECK-LABEL: value-numbers of 'extended':
; CHECK: [[FIRST:#[0-9]+]]: %first = sext i32 %sum to i64
; CHECK: [[FIRST]]: %first_too = add i64
; CHECK: [[SECOND:#[0-9]+]]: %second = zext i32 %usum to i64
; CHECK: [[SECOND]]: %second_too = add i64
; CHECK-NOT: [[SECOND]]: %other
; CHECK: %other = zext i32 %sum to i64
; CHECK-NOT: [[FIRST]]: %wrapping
; CHECK: %wrapping = sext i32 %any to i64
; CHECK: [[DOWN:#[0-9]+]]: %down = sext i32 %complement to i64
; CHECK: [[DOWN]]: %down_too = xor i64
; CHECK: [[WIDE:#[0-9]+]]: %wide = add i64 %x64, %w64
; CHECK: [[WIDE]]: %back = sext i32 %small to i64
define void @extended(i32 %x, i32 %y, i32 %w) {
  %x64 = sext i32 %x to i64
  %y64 = sext i32 %y to i64
  %w64 = sext i32 %w to i64
  %product = mul nsw i32 %y, %w
  %sum = add nsw i32 %product, %x
  %first = sext i32 %sum to i64
  %product64 = mul i64 %w64, %y64
  %first_too = add i64 %x64, %product64
  %xu = zext i32 %x to i64
  %yu = zext i32 %y to i64
  %four = shl nuw i32 %y, 2
  %usum = add nuw i32 %four, %x
  %second = zext i32 %usum to i64
  %four64 = shl i64 %yu, 2
  %second_too = add i64 %four64, %xu
  %other = zext i32 %sum to i64
  %any = add i32 %product, %x
  %wrapping = sext i32 %any to i64
  %complement = xor i32 %w, -1
  %down = sext i32 %complement to i64
  %down_too = xor i64 %w64, -1
  %wide = add i64 %x64, %w64
  %small = trunc nsw i64 %wide to i32
  %back = sext i32 %small to i64
  ret void
}
