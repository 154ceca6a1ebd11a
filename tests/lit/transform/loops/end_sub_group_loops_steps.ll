; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=end-sub-group-loops %s | %check
; Loops over work-items alone of which those with a certain rest do something go from one of these to the next.

; CHECK-LABEL: define void @rest(
; CHECK: entry:
; CHECK: %[[DIVISOR:.*]] = zext i32 %d to i64
; CHECK: %[[REST:.*]] = zext i32 %r to i64
; CHECK: %[[POSITIVE:.*]] = icmp sgt i64 %[[DIVISOR]], 0
; CHECK: %[[LESS:.*]] = icmp ult i64 %[[REST]], %[[DIVISOR]]
; CHECK: %[[CAN:.*]] = and i1 %[[POSITIVE]], %[[LESS]]
; CHECK: %[[SOME:.*]] = icmp ult i64 %[[REST]], %n
; CHECK: %[[THERE:.*]] = and i1 %[[CAN]], %[[SOME]]
; CHECK: %[[STEP:.*]] = select i1 %[[CAN]], i64 %[[DIVISOR]], i64 1
; CHECK: %[[START:.*]] = select i1 %[[THERE]], i64 %[[REST]], i64 0
; CHECK: %id = phi i64 [ %[[START]], %entry ], [ %[[ID:.*]], %latch ]
; CHECK: br i1 %is, label %then, label %latch
; CHECK: %[[ID]] = add nuw nsw i64 %id, %[[STEP]]
; CHECK: %[[MORE:.*]] = icmp ult i64 %[[ID]], %n
; CHECK: br i1 %[[MORE]], label %x, label %end
define void @rest(ptr %a, i64 %n, i32 %d, i32 %r) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id32 = trunc i64 %id to i32
  %rest = urem i32 %id32, %d
  %is = icmp eq i32 %rest, %r
  br i1 %is, label %then, label %latch

then:
  %p = getelementptr i32, ptr %a, i64 %id
  store i32 1, ptr %p
  br label %latch

latch:
  %next = add nuw nsw i64 %id, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret void
}

; What is known needs not be asked for. A signed remainder asks for the sign, which ids do not have.
; CHECK-LABEL: define void @bits(
; CHECK: %id = phi i64 [ 7, %entry ], [ %[[ID:.*]], %latch ]
; CHECK: br i1 true, label %then, label %latch
; CHECK: %[[ID]] = add nuw nsw i64 %id, 8
; CHECK: icmp ult i64 %[[ID]], 256
define void @bits(ptr %a) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id32 = trunc i64 %id to i32
  %rest = and i32 %id32, -2147483641
  %is = icmp eq i32 %rest, 7
  br i1 %is, label %then, label %latch

then:
  %p = getelementptr i32, ptr %a, i64 %id
  store i32 1, ptr %p
  br label %latch

latch:
  %next = add nuw nsw i64 %id, 1
  %more = icmp ult i64 %next, 256
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret void
}

; Other effects have another rest, or none.
; CHECK-LABEL: define void @two(
; CHECK: %id = phi i64 [ 0, %entry ], [ %next, %latch ]
define void @two(ptr %a) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %latch ]
  %low = and i64 %id, 7
  %is = icmp eq i64 %low, 7
  br i1 %is, label %then, label %other

then:
  %p = getelementptr i32, ptr %a, i64 %id
  store i32 1, ptr %p
  br label %other

other:
  %lower = and i64 %id, 3
  %too = icmp eq i64 %lower, 2
  br i1 %too, label %also, label %latch

also:
  %q = getelementptr i32, ptr %a, i64 %id
  store i32 2, ptr %q
  br label %latch

latch:
  %next = add nuw nsw i64 %id, 1
  %more = icmp ult i64 %next, 256
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret void
}

; Something else goes around with the counter.
; CHECK-LABEL: define void @walks(
; CHECK: %id = phi i64 [ 0, %entry ], [ %next, %latch ]
define void @walks(ptr %a) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = phi ptr [ %a, %entry ], [ %p.next, %latch ]
  %low = and i64 %id, 7
  %is = icmp eq i64 %low, 7
  br i1 %is, label %then, label %latch

then:
  store i32 1, ptr %p
  br label %latch

latch:
  %p.next = getelementptr i32, ptr %p, i64 1
  %next = add nuw nsw i64 %id, 1
  %more = icmp ult i64 %next, 256
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret void
}

; Bits that are not the rest of a division.
; CHECK-LABEL: define void @holes(
; CHECK: %id = phi i64 [ 0, %entry ], [ %[[ID:.*]], %latch ]
; CHECK: br i1 %is, label %then, label %latch
; CHECK: %[[ID]] = add nuw nsw i64 %id, 1
define void @holes(ptr %a) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %latch ]
  %low = and i64 %id, 5
  %is = icmp eq i64 %low, 4
  br i1 %is, label %then, label %latch

then:
  %p = getelementptr i32, ptr %a, i64 %id
  store i32 1, ptr %p
  br label %latch

latch:
  %next = add nuw nsw i64 %id, 1
  %more = icmp ult i64 %next, 256
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"clotho.sub_groups", i32 1}
