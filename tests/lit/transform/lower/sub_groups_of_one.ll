; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=sub-groups-of-one %s | %check
; A sub-group of one work-item is alone: its values are the results.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i32 @clotho.sub_group.reduce.add.i32(i32, i32)
declare i32 @clotho.sub_group.scan_exclusive.smax.i32(i32)
declare i64 @clotho.sub_group.ballot.none.i1(i1)
declare i32 @clotho.sub_group.live_count.none.i1(i1)
declare i32 @clotho.sub_group.live_rank.none.i1(i1)
declare i64 @clotho.sub_group_lane()
declare i64 @clotho.sub_group_width()

; CHECK-LABEL: @k(
; CHECK-NEXT: %[[BALLOT:.*]] = zext i1 %p to i64
; CHECK-NEXT: store i32 %x, ptr %a
; CHECK-NEXT: store i32 -2147483648, ptr %a
; CHECK-NEXT: store i64 %[[BALLOT]], ptr %a
; CHECK-NEXT: store i64 0, ptr %a
; CHECK-NEXT: store i64 1, ptr %a
; CHECK-NEXT: store i32 1, ptr %a
; CHECK-NEXT: store i32 0, ptr %a
; CHECK-NEXT: ret void
; CHECK-NOT: clotho.sub_group.
define spir_kernel void @k(i32 %x, i1 %p, ptr %a) {
  %r = call i32 @clotho.sub_group.reduce.add.i32(i32 %x, i32 0)
  %s = call i32 @clotho.sub_group.scan_exclusive.smax.i32(i32 %x)
  %b = call i64 @clotho.sub_group.ballot.none.i1(i1 %p)
  %l = call i64 @clotho.sub_group_lane()
  %w = call i64 @clotho.sub_group_width()
  %n = call i32 @clotho.sub_group.live_count.none.i1(i1 true)
  %k = call i32 @clotho.sub_group.live_rank.none.i1(i1 true)
  store i32 %r, ptr %a
  store i32 %s, ptr %a
  store i64 %b, ptr %a
  store i64 %l, ptr %a
  store i64 %w, ptr %a
  store i32 %n, ptr %a
  store i32 %k, ptr %a
  ret void
}
