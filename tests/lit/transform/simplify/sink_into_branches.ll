; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=sink-into-branches %s | %check
; What only the sides of a branch use moves there if the branch asks for the value of something it is made of, and is made
; of that value where it is known.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK-LABEL: @index(
; CHECK: %low = and i32
; CHECK-NEXT: %f = uitofp
; CHECK-NEXT: %last = icmp
; CHECK-NEXT: br i1
; CHECK: one:
; CHECK-NEXT: [[MASK:%.*]] = add i32 256, -1
; CHECK-NEXT: [[LOW:%.*]] = and i32 [[MASK]], %id
; CHECK-NEXT: sub i32 %id, [[LOW]]
; CHECK-NEXT: shl i32
; CHECK-NEXT: sext i32
; CHECK-NEXT: getelementptr
; CHECK: two:
; CHECK-NEXT: sub i32 %id, %low
; CHECK-NEXT: shl i32
; CHECK-NEXT: sext i32
define void @index(ptr %a, ptr %b, i32 %stride, i32 %id) {
  %mask = add i32 %stride, -1
  %low = and i32 %mask, %id
  %f = uitofp i32 %low to float
  %high = sub i32 %id, %low
  %four = shl i32 %high, 2
  %i = sext i32 %four to i64
  %last = icmp eq i32 %stride, 256
  br i1 %last, label %one, label %two
one:
  %p = getelementptr float, ptr %a, i64 %i
  store float %f, ptr %p
  ret void
two:
  %q = getelementptr float, ptr %b, i64 %i
  store float %f, ptr %q
  ret void
}

; Nothing is known of what the index is made of, or it is used behind both sides.
; CHECK-LABEL: @stays(
; CHECK-NEXT: %i = sext i32 %id
; CHECK-NEXT: %j = sext i32 %stride
; CHECK: two:
; CHECK-NOT: sext
; CHECK: ret void
define void @stays(ptr %a, ptr %b, i32 %stride, i32 %id) {
  %i = sext i32 %id to i64
  %j = sext i32 %stride to i64
  %last = icmp eq i32 %stride, 256
  br i1 %last, label %one, label %two
one:
  %p = getelementptr float, ptr %a, i64 %i
  store i64 %j, ptr %p
  br label %end
two:
  %q = getelementptr float, ptr %b, i64 %i
  store i64 %j, ptr %q
  br label %end
end:
  store i64 %j, ptr %a
  ret void
}
