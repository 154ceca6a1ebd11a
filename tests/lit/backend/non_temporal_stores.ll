; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=non-temporal-stores %s | %check
; A marked store of a vector has a second way, past the caches: for large launches, where it lies in one line.

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @group(
; CHECK: %[[FIELD:.*]] = getelementptr inbounds i8, ptr %launch, i64 192
; CHECK: %[[FROM:.*]] = load i64, ptr %[[FIELD]]
; CHECK: %[[LARGE:.*]] = icmp uge i64 64, %[[FROM]]
; CHECK: %[[BITS:.*]] = select i1 %[[LARGE]], i64 63, i64 -1
; CHECK: %[[ADDRESS:.*]] = ptrtoint ptr %out to i64
; CHECK: %[[LOW:.*]] = and i64 %[[ADDRESS]], %[[BITS]]
; CHECK: %[[WHOLE:.*]] = icmp eq i64 %[[LOW]], 0
; CHECK: br i1 %[[WHOLE]], label %[[PAST:.*]], label %[[USUAL:.*]]
; CHECK: [[PAST]]:
; CHECK-NEXT: store <16 x float> %v, ptr %out, align 64, {{.*}}!nontemporal
; CHECK: [[USUAL]]:
; CHECK-NEXT: store <16 x float> %v, ptr %out, align 4, !clotho.non_temporal
; One element is no vector, and this one is not marked.
; CHECK: store float 1.000000e+00, ptr %out, align 4, !clotho.non_temporal
; CHECK-NEXT: store <16 x float> %v, ptr %out, align 4{{$}}
; CHECK-NEXT: ret void
define void @group(ptr %launch, ptr %context, ptr %frame, i64 %x, i64 %y, i64 %z, i64 %end, ptr %out, <16 x float> %v) !clotho.facts !1 {
  store <16 x float> %v, ptr %out, align 4, !clotho.non_temporal !0
  store float 1.0, ptr %out, align 4, !clotho.non_temporal !0
  store <16 x float> %v, ptr %out, align 4
  ret void
}

; CHECK-LABEL: @helper(
; CHECK-NOT: nontemporal
; CHECK: ret void
define void @helper(ptr %out, <16 x float> %v) {
  store <16 x float> %v, ptr %out, align 4, !clotho.non_temporal !0
  ret void
}

!0 = !{}
!1 = !{!"non_temporal_units", i64 64}
