; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=constant-offsets %s | %check
; Constants in sums that are indices become offsets, so that neighbours share a sum (issue 51).

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; CHECK-LABEL: define ptr @signed(
; CHECK: %[[SUM:.*]] = add nuw nsw i32 %a, %b
; CHECK: %[[WIDE:.*]] = sext i32 %[[SUM]] to i64
; CHECK: %[[START:.*]] = getelementptr float, ptr %p, i64 %[[WIDE]]
; CHECK: getelementptr i8, ptr %[[START]], i64 12
define ptr @signed(ptr %p, i32 %a, i32 %b) {
  %c = or disjoint i32 %a, 3
  %sum = add nuw nsw i32 %c, %b
  %wide = sext i32 %sum to i64
  %q = getelementptr inbounds float, ptr %p, i64 %wide
  ret ptr %q
}

; CHECK-LABEL: define ptr @unsigned(
; CHECK: %[[SUM:.*]] = add nuw i32 %a, %b
; CHECK: %[[WIDE:.*]] = zext i32 %[[SUM]] to i64
; CHECK: %[[START:.*]] = getelementptr double, ptr %p, i64 %[[WIDE]]
; CHECK: getelementptr i8, ptr %[[START]], i64 40
define ptr @unsigned(ptr %p, i32 %a, i32 %b) {
  %c = add nuw i32 %a, 5
  %sum = add nuw i32 %b, %c
  %wide = zext i32 %sum to i64
  %q = getelementptr double, ptr %p, i64 %wide
  ret ptr %q
}

; Sums of 64 bits may wrap around, as addresses do.
; CHECK-LABEL: define ptr @whole(
; CHECK: %[[SUM:.*]] = add i64 %a, %b
; CHECK: %[[START:.*]] = getelementptr float, ptr %p, i64 %[[SUM]]
; CHECK: getelementptr i8, ptr %[[START]], i64 -4
define ptr @whole(ptr %p, i64 %a, i64 %b) {
  %c = add i64 %a, -1
  %sum = add i64 %c, %b
  %q = getelementptr float, ptr %p, i64 %sum
  ret ptr %q
}

; Without both flags a step of the other sum may wrap around: for a = -1 and b = -2^31.
; CHECK-LABEL: define ptr @may_wrap(
; CHECK: getelementptr float, ptr %p, i64 %wide
; CHECK-NEXT: ret
define ptr @may_wrap(ptr %p, i32 %a, i32 %b) {
  %c = add nsw i32 %a, 3
  %sum = add nsw i32 %c, %b
  %wide = sext i32 %sum to i64
  %q = getelementptr float, ptr %p, i64 %wide
  ret ptr %q
}

; CHECK-LABEL: define ptr @negative(
; CHECK: getelementptr float, ptr %p, i64 %wide
; CHECK-NEXT: ret
define ptr @negative(ptr %p, i32 %a) {
  %c = add nuw nsw i32 %a, -3
  %wide = sext i32 %c to i64
  %q = getelementptr float, ptr %p, i64 %wide
  ret ptr %q
}

; The extension of a truncated sum is another number than the sum.
; CHECK-LABEL: define ptr @truncated(
; CHECK: getelementptr float, ptr %p, i64 %wide
; CHECK-NEXT: ret
define ptr @truncated(ptr %p, i32 %a) {
  %c = add nuw nsw i32 %a, 3
  %narrow = trunc i32 %c to i8
  %wide = sext i8 %narrow to i64
  %q = getelementptr float, ptr %p, i64 %wide
  ret ptr %q
}
