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
; CHECK: %[[ID]] = add nuw i64 %id, %[[STEP]]
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
; CHECK: %[[ID]] = add nuw i64 %id, 8
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

; Signed and unsigned remainders by one divisor are two questions.
; CHECK-LABEL: define void @two_signs(
; CHECK: %id = phi i64 [ 0, %entry ], [ %next, %latch ]
define void @two_signs(ptr %a, i64 %n, i32 %d) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id32 = trunc i64 %id to i32
  %rest = srem i32 %id32, %d
  %is = icmp eq i32 %rest, 1
  br i1 %is, label %then, label %second

then:
  %p = getelementptr i32, ptr %a, i64 %id
  store i32 1, ptr %p
  br label %second

second:
  %other = urem i32 %id32, %d
  %is.other = icmp eq i32 %other, 1
  br i1 %is.other, label %then.other, label %latch

then.other:
  %q = getelementptr i32, ptr %a, i64 %id
  store i32 2, ptr %q
  br label %latch

latch:
  %next = add nuw nsw i64 %id, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret void
}

; Sub-groups of which one work-item has the rest: from one to the next, and it is known which lane that is.
; CHECK-LABEL: define void @lanes(
; CHECK: %id = phi i64 [ 12, %entry ], [ %[[ID:.*]], %x ]
; CHECK: call void @llvm.masked.store.v4i32.p0(<4 x i32> zeroinitializer, ptr align 4 %p, <4 x i1> <i1 false, i1 false, i1 false, i1 true>)
; CHECK: %[[ID]] = add nuw i64 %id, 16
; CHECK: icmp ult i64 %[[ID]], 256
define void @lanes(ptr %a) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %x ]
  %id32 = trunc i64 %id to i32
  %in.first = insertelement <4 x i32> poison, i32 %id32, i64 0
  %first = shufflevector <4 x i32> %in.first, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or disjoint <4 x i32> %first, <i32 0, i32 1, i32 2, i32 3>
  %rest = and <4 x i32> %ids, splat (i32 15)
  %is = icmp eq <4 x i32> %rest, splat (i32 15)
  %p = getelementptr i32, ptr %a, i64 %id
  call void @llvm.masked.store.v4i32.p0(<4 x i32> zeroinitializer, ptr align 4 %p, <4 x i1> %is)
  %next = add nuw nsw i64 %id, 4
  %more = icmp ult i64 %id, 252
  br i1 %more, label %x, label %end, !llvm.loop !2

end:
  ret void
}

; Every sub-group has two of them.
; CHECK-LABEL: define void @every(
; CHECK: %id = phi i64 [ 0, %entry ], [ %next, %x ]
define void @every(ptr %a) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %x ]
  %id32 = trunc i64 %id to i32
  %in.first = insertelement <4 x i32> poison, i32 %id32, i64 0
  %first = shufflevector <4 x i32> %in.first, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or disjoint <4 x i32> %first, <i32 0, i32 1, i32 2, i32 3>
  %rest = and <4 x i32> %ids, splat (i32 1)
  %is = icmp eq <4 x i32> %rest, splat (i32 1)
  %p = getelementptr i32, ptr %a, i64 %id
  call void @llvm.masked.store.v4i32.p0(<4 x i32> zeroinitializer, ptr align 4 %p, <4 x i1> %is)
  %next = add nuw nsw i64 %id, 4
  %more = icmp ult i64 %id, 252
  br i1 %more, label %x, label %end, !llvm.loop !2

end:
  ret void
}

; A rest that is known at run time only: vectors of 4 go from one to the next if they lie so, else through all.
; CHECK-LABEL: define void @some(
; CHECK: %[[START:.*]] = and i64 %{{.*}}, -4
; CHECK: %[[OVER:.*]] = and i64 %[[DIVISOR:.*]], 3
; CHECK: icmp eq i64 %[[OVER]], 0
; CHECK: select i1 %{{.*}}, i64 %[[DIVISOR]], i64 4
; CHECK: select i1 %{{.*}}, i64 %[[START]], i64 0
define void @some(ptr %a, i32 %d, i32 %r) {
entry:
  %in.d = insertelement <4 x i32> poison, i32 %d, i64 0
  %divisors = shufflevector <4 x i32> %in.d, <4 x i32> poison, <4 x i32> zeroinitializer
  %in.r = insertelement <4 x i32> poison, i32 %r, i64 0
  %rests = shufflevector <4 x i32> %in.r, <4 x i32> poison, <4 x i32> zeroinitializer
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %x ]
  %id32 = trunc i64 %id to i32
  %in.first = insertelement <4 x i32> poison, i32 %id32, i64 0
  %first = shufflevector <4 x i32> %in.first, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or disjoint <4 x i32> %first, <i32 0, i32 1, i32 2, i32 3>
  %rest = urem <4 x i32> %ids, %divisors
  %is = icmp eq <4 x i32> %rest, %rests
  %p = getelementptr i32, ptr %a, i64 %id
  call void @llvm.masked.store.v4i32.p0(<4 x i32> zeroinitializer, ptr align 4 %p, <4 x i1> %is)
  %next = add nuw nsw i64 %id, 4
  %more = icmp ult i64 %next, 256
  br i1 %more, label %x, label %end, !llvm.loop !2

end:
  ret void
}

; One work-item: its sub-group alone.
; CHECK-LABEL: define void @last(
; CHECK: %id = phi i64 [ 252, %entry ], [ %[[ID:.*]], %x ]
; CHECK: <4 x i1> <i1 false, i1 false, i1 true, i1 false>
; CHECK: %[[ID]] = add nuw i64 %id, 2147483648
define void @last(ptr %a) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %x ]
  %id32 = trunc i64 %id to i32
  %in.first = insertelement <4 x i32> poison, i32 %id32, i64 0
  %first = shufflevector <4 x i32> %in.first, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or disjoint <4 x i32> %first, <i32 0, i32 1, i32 2, i32 3>
  %is = icmp eq <4 x i32> %ids, splat (i32 254)
  %p = getelementptr i32, ptr %a, i64 %id
  call void @llvm.masked.store.v4i32.p0(<4 x i32> zeroinitializer, ptr align 4 %p, <4 x i1> %is)
  %next = add nuw nsw i64 %id, 4
  %more = icmp ult i64 %next, 256
  br i1 %more, label %x, label %end, !llvm.loop !2

end:
  ret void
}

declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)
!2 = distinct !{!2, !3}
!3 = !{!"clotho.sub_groups", i64 4}
