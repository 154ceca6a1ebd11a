; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=interchange-columns,verify %s | %check
; Sums over rows that are far apart: a tile of eight sub-groups goes through eight rows at a time.

; CHECK-LABEL: define void @sums(
; CHECK: %sums = alloca <4 x float>, i64 8, align 64
; What need not be defined where not all conditions hold is asked after them.
; CHECK: %[[COLUMNS:.*]] = select i1 %{{.*}}, i1 %any, i1 false
; CHECK: %[[ROWS:.*]] = select i1 %[[COLUMNS]], i1 %{{.*}}, i1 false
; CHECK: %far_apart = select i1 %[[ROWS]], i1 %{{.*}}, i1 false
; CHECK: br i1 %far_apart, label %tile, label %own.loop
; What all begin with.
; CHECK: tile:
; CHECK: call i64 @llvm.umin.i64(i64 %{{.*}}, i64 %limit)
; CHECK: store <4 x float> splat (float 2.000000e+00), ptr %{{.*}}, align 16
; Eight rows of each sub-group, in order.
; CHECK: rows:
; CHECK: sub_groups
; CHECK: load <4 x float>, ptr %{{.*}}, align 16
; CHECK-COUNT-8: call <4 x float> @llvm.fmuladd
; CHECK-NOT: llvm.fmuladd
; CHECK: store <4 x float> %{{.*}}, ptr %{{.*}}, align 16
; The rows that are left.
; CHECK: last_row:
; CHECK: call <4 x float> @llvm.fmuladd
; CHECK-NOT: llvm.fmuladd
; What comes after the sums.
; CHECK: store <4 x float> %{{.*}}, ptr %out.at{{[0-9]*}}, align 4
; CHECK: br i1 %{{.*}}, label %tile, label %end
; The loops as they were.
; CHECK: own.loop:
; CHECK: row.loop:
; CHECK: call <4 x float> @llvm.fmuladd
; CHECK: end:
; CHECK: phi i64 [ %own.next, %own.end ], [ %{{.*}}, %sub_groups.end
define void @sums(ptr noalias %out, ptr %in, ptr %x, i64 %limit, i64 %columns, i64 %count, i1 %any) {
entry:
  br label %own.loop
own.loop:
  %own = phi i64 [ 0, %entry ], [ %own.next, %own.end ]
  %first = getelementptr float, ptr %in, i64 %own
  br i1 %any, label %ready, label %own.end
ready:
  br label %row.loop
row.loop:
  %j = phi i64 [ 0, %ready ], [ %j.next, %row.loop ]
  %sum = phi <4 x float> [ splat (float 2.0), %ready ], [ %added, %row.loop ]
  %offset = mul i64 %j, %columns
  %at = getelementptr float, ptr %first, i64 %offset
  %v = load <4 x float>, ptr %at, align 4
  %x.at = getelementptr <4 x float>, ptr %x, i64 %j
  %f = load <4 x float>, ptr %x.at, align 4
  %added = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %v, <4 x float> %f, <4 x float> %sum)
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j.next, %count
  br i1 %more, label %row.loop, label %row.end
row.end:
  %out.at = getelementptr float, ptr %out, i64 %own
  store <4 x float> %added, ptr %out.at, align 4
  br label %own.end
own.end:
  %own.next = add nuw i64 %own, 4
  %again = icmp ult i64 %own.next, %limit
  br i1 %again, label %own.loop, label %end, !llvm.loop !0
end:
  %reached = phi i64 [ %own.next, %own.end ]
  store i64 %reached, ptr %x
  ret void
}

; Two sums, of which one begins with what the sub-group has.
; CHECK-LABEL: define void @two(
; CHECK-COUNT-2: alloca <4 x i32>, i64 8, align 64
; CHECK: tile:
; CHECK: %[[OWN:.*]] = trunc i64 %own{{.*}} to i32
; CHECK: store <4 x i32> zeroinitializer
; CHECK: store <4 x i32> %start
; CHECK: rows:
; CHECK-COUNT-8: sub <4 x i32>
; CHECK-NOT: sub <4 x i32>
; CHECK: last_row:
define void @two(ptr noalias %out, ptr %in, i64 %limit, i64 %columns, i32 %count) {
entry:
  br label %own.loop
own.loop:
  %own = phi i64 [ 0, %entry ], [ %own.next, %row.end ]
  %own32 = trunc i64 %own to i32
  %start = insertelement <4 x i32> zeroinitializer, i32 %own32, i64 0
  %first = getelementptr i32, ptr %in, i64 %own
  br label %row.loop
row.loop:
  %j = phi i32 [ 5, %own.loop ], [ %j.next, %row.loop ]
  %a = phi <4 x i32> [ zeroinitializer, %own.loop ], [ %a.next, %row.loop ]
  %b = phi <4 x i32> [ %start, %own.loop ], [ %b.next, %row.loop ]
  %wide = zext i32 %j to i64
  %offset = mul i64 %wide, %columns
  %at = getelementptr i32, ptr %first, i64 %offset
  %v = load <4 x i32>, ptr %at, align 4
  %a.next = add <4 x i32> %b, %v
  %b.next = sub <4 x i32> %a, %v
  %j.next = add nuw nsw i32 %j, 3
  %more = icmp slt i32 %j.next, %count
  br i1 %more, label %row.loop, label %row.end
row.end:
  %ab = xor <4 x i32> %a.next, %b.next
  %out.at = getelementptr i32, ptr %out, i64 %own
  store <4 x i32> %ab, ptr %out.at, align 4
  %own.next = add nuw i64 %own, 4
  %again = icmp ult i64 %own.next, %limit
  br i1 %again, label %own.loop, label %end, !llvm.loop !0
end:
  ret void
}

; A round that stores is left alone, since others may read that.
; CHECK-LABEL: define void @stores(
; CHECK-NOT: tile:
; CHECK: ret void
define void @stores(ptr noalias %out, ptr %in, i64 %limit, i64 %columns, i64 %count) {
entry:
  br label %own.loop
own.loop:
  %own = phi i64 [ 0, %entry ], [ %own.next, %row.end ]
  %first = getelementptr i32, ptr %in, i64 %own
  br label %row.loop
row.loop:
  %j = phi i64 [ 0, %own.loop ], [ %j.next, %row.loop ]
  %a = phi <4 x i32> [ zeroinitializer, %own.loop ], [ %a.next, %row.loop ]
  %offset = mul i64 %j, %columns
  %at = getelementptr i32, ptr %first, i64 %offset
  %v = load <4 x i32>, ptr %at, align 4
  %a.next = add <4 x i32> %a, %v
  store <4 x i32> %a.next, ptr %at, align 4
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j.next, %count
  br i1 %more, label %row.loop, label %row.end
row.end:
  %out.at = getelementptr i32, ptr %out, i64 %own
  store <4 x i32> %a.next, ptr %out.at, align 4
  %own.next = add nuw i64 %own, 4
  %again = icmp ult i64 %own.next, %limit
  br i1 %again, label %own.loop, label %end, !llvm.loop !0
end:
  ret void
}

; So is one to which not all sub-groups come.
; CHECK-LABEL: define void @conditional(
; CHECK-NOT: tile:
; CHECK: ret void
define void @conditional(ptr noalias %out, ptr %in, i64 %limit, i64 %columns, i64 %count, i64 %some) {
entry:
  br label %own.loop
own.loop:
  %own = phi i64 [ 0, %entry ], [ %own.next, %own.end ]
  %first = getelementptr i32, ptr %in, i64 %own
  %is = icmp ult i64 %own, %some
  br i1 %is, label %ready, label %own.end
ready:
  br label %row.loop
row.loop:
  %j = phi i64 [ 0, %ready ], [ %j.next, %row.loop ]
  %a = phi <4 x i32> [ zeroinitializer, %ready ], [ %a.next, %row.loop ]
  %offset = mul i64 %j, %columns
  %at = getelementptr i32, ptr %first, i64 %offset
  %v = load <4 x i32>, ptr %at, align 4
  %a.next = add <4 x i32> %a, %v
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j.next, %count
  br i1 %more, label %row.loop, label %row.end
row.end:
  %out.at = getelementptr i32, ptr %out, i64 %own
  store <4 x i32> %a.next, ptr %out.at, align 4
  br label %own.end
own.end:
  %own.next = add nuw i64 %own, 4
  %again = icmp ult i64 %own.next, %limit
  br i1 %again, label %own.loop, label %end, !llvm.loop !0
end:
  ret void
}

; So is a loop of the program's own, each round of which may read what the one before has written, one that goes
; downwards, and one that counts nothing.
; CHECK-LABEL: define void @users(
; CHECK-NOT: tile:
; CHECK: ret void
define void @users(ptr noalias %out, ptr %in, i64 %limit, i64 %columns, i32 %count) {
entry:
  br label %own.loop
own.loop:
  %own = phi i64 [ 0, %entry ], [ %own.next, %row.end ]
  %own32 = trunc i64 %own to i32
  %start = insertelement <4 x i32> zeroinitializer, i32 %own32, i64 0
  %first = getelementptr i32, ptr %in, i64 %own
  br label %row.loop
row.loop:
  %j = phi i32 [ 5, %own.loop ], [ %j.next, %row.loop ]
  %a = phi <4 x i32> [ zeroinitializer, %own.loop ], [ %a.next, %row.loop ]
  %b = phi <4 x i32> [ %start, %own.loop ], [ %b.next, %row.loop ]
  %wide = zext i32 %j to i64
  %offset = mul i64 %wide, %columns
  %at = getelementptr i32, ptr %first, i64 %offset
  %v = load <4 x i32>, ptr %at, align 4
  %a.next = add <4 x i32> %b, %v
  %b.next = sub <4 x i32> %a, %v
  %j.next = add nuw nsw i32 %j, 3
  %more = icmp slt i32 %j.next, %count
  br i1 %more, label %row.loop, label %row.end
row.end:
  %ab = xor <4 x i32> %a.next, %b.next
  %out.at = getelementptr i32, ptr %out, i64 %own
  store <4 x i32> %ab, ptr %out.at, align 4
  %own.next = add nuw i64 %own, 4
  %again = icmp ult i64 %own.next, %limit
  br i1 %again, label %own.loop, label %end
end:
  ret void
}

; CHECK-LABEL: define void @downwards(
; CHECK-NOT: tile:
; CHECK: ret void
define void @downwards(ptr noalias %out, ptr %in, i64 %limit, i64 %columns, i32 %count) {
entry:
  br label %own.loop
own.loop:
  %own = phi i64 [ 0, %entry ], [ %own.next, %row.end ]
  %own32 = trunc i64 %own to i32
  %start = insertelement <4 x i32> zeroinitializer, i32 %own32, i64 0
  %first = getelementptr i32, ptr %in, i64 %own
  br label %row.loop
row.loop:
  %j = phi i32 [ 5, %own.loop ], [ %j.next, %row.loop ]
  %a = phi <4 x i32> [ zeroinitializer, %own.loop ], [ %a.next, %row.loop ]
  %b = phi <4 x i32> [ %start, %own.loop ], [ %b.next, %row.loop ]
  %wide = zext i32 %j to i64
  %offset = mul i64 %wide, %columns
  %at = getelementptr i32, ptr %first, i64 %offset
  %v = load <4 x i32>, ptr %at, align 4
  %a.next = add <4 x i32> %b, %v
  %b.next = sub <4 x i32> %a, %v
  %j.next = add nuw nsw i32 %j, 3
  %more = icmp slt i32 %j.next, %count
  br i1 %more, label %row.loop, label %row.end
row.end:
  %ab = xor <4 x i32> %a.next, %b.next
  %out.at = getelementptr i32, ptr %out, i64 %own
  store <4 x i32> %ab, ptr %out.at, align 4
  %own.next = add nuw i64 %own, -4
  %again = icmp ult i64 %own.next, %limit
  br i1 %again, label %own.loop, label %end, !llvm.loop !0
end:
  ret void
}

; CHECK-LABEL: define void @until(
; CHECK-NOT: tile:
; CHECK: ret void
define void @until(ptr noalias %out, ptr %in, ptr %flag, i64 %columns, i64 %count) {
entry:
  br label %own.loop
own.loop:
  br label %row.loop
row.loop:
  %j = phi i64 [ 0, %own.loop ], [ %j.next, %row.loop ]
  %a = phi <4 x i32> [ zeroinitializer, %own.loop ], [ %a.next, %row.loop ]
  %offset = mul i64 %j, %columns
  %at = getelementptr i32, ptr %in, i64 %offset
  %v = load <4 x i32>, ptr %at, align 4
  %a.next = add <4 x i32> %a, %v
  %j.next = add nuw nsw i64 %j, 1
  %more = icmp ult i64 %j.next, %count
  br i1 %more, label %row.loop, label %row.end
row.end:
  store <4 x i32> %a.next, ptr %out, align 4
  %f = load i32, ptr %flag, align 4
  %again = icmp eq i32 %f, 0
  br i1 %again, label %own.loop, label %end, !llvm.loop !0
end:
  ret void
}

declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)

!0 = distinct !{!0, !1}
!1 = !{!"clotho.independent"}
