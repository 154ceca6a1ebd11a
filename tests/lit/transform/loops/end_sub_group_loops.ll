; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=end-sub-group-loops %s | %check
; Loops over sub-groups end behind the last one that has a lane with something to do.

; A step of a reduction, under a mask. The number may be poison where another condition keeps it from being asked for.
; CHECK-LABEL: define void @half(
; CHECK: %more = icmp ult i64 %next, %n
; CHECK: %[[FROZEN:.*]] = freeze i32 %half
; CHECK: %[[LIMIT:.*]] = zext i32 %[[FROZEN]] to i64
; CHECK: %[[WITHIN:.*]] = icmp ult i64 %next, %[[LIMIT]]
; CHECK: %[[BOTH:.*]] = and i1 %more, %[[WITHIN]]
; CHECK: br i1 %[[BOTH]], label %x, label %end
define void @half(ptr %a, i64 %n, i32 %half) {
entry:
  %half.in = insertelement <8 x i32> poison, i32 %half, i64 0
  %half.all = shufflevector <8 x i32> %half.in, <8 x i32> poison, <8 x i32> zeroinitializer
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %x ]
  %id32 = trunc i64 %id to i32
  %in = insertelement <8 x i32> poison, i32 %id32, i64 0
  %all = shufflevector <8 x i32> %in, <8 x i32> poison, <8 x i32> zeroinitializer
  %ids = or disjoint <8 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %mask = icmp samesign ugt <8 x i32> %half.all, %ids
  %p = getelementptr i32, ptr %a, i64 %id
  %v = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x i32> zeroinitializer)
  %w = shl <8 x i32> %v, splat (i32 1)
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %w, ptr align 4 %p, <8 x i1> %mask)
  %next = add nuw nsw i64 %id, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret void
}

; One work-item's, behind a branch; a signed number may be negative.
; CHECK-LABEL: define void @one(
; CHECK: icmp ule i64 %next, 17
; CHECK-LABEL: define void @signed(
; CHECK: %[[LIMIT:.*]] = sext i32 %limit to i64
; CHECK: icmp slt i64 %next, %[[LIMIT]]
define void @one(ptr %a, i64 %n) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %latch ]
  %away = sub i64 17, %id
  %any = icmp ult i64 %away, 8
  br i1 %any, label %then, label %latch

then:
  store i32 1, ptr %a, align 4
  br label %latch

latch:
  %next = add nuw nsw i64 %id, 8
  %over = icmp uge i64 %next, %n
  br i1 %over, label %end, label %x, !llvm.loop !0

end:
  ret void
}

define void @signed(ptr %a, i64 %n, i32 %limit) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %latch ]
  %id32 = trunc i64 %id to i32
  %any = icmp slt i32 %id32, %limit
  br i1 %any, label %then, label %latch

then:
  store i32 1, ptr %a, align 4
  br label %latch

latch:
  %next = add nuw nsw i64 %id, 8
  %over = icmp uge i64 %next, %n
  br i1 %over, label %end, label %x, !llvm.loop !0

end:
  ret void
}

; Not where something is done in any case, where what is asked for comes later rather than ends, or where the number
; changes.
; CHECK-LABEL: define void @always(
; CHECK: br i1 %more, label %x, label %end
; CHECK-LABEL: define void @later(
; CHECK: br i1 %more, label %x, label %end
; CHECK-LABEL: define void @changes(
; CHECK: br i1 %more, label %x, label %end
define void @always(ptr %a, i64 %n, i64 %half) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %latch ]
  %any = icmp ult i64 %id, %half
  br i1 %any, label %then, label %latch

then:
  store i32 1, ptr %a, align 4
  br label %latch

latch:
  %p = getelementptr i32, ptr %a, i64 %id
  store i32 2, ptr %p, align 4
  %next = add nuw nsw i64 %id, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret void
}

define void @later(ptr %a, i64 %n, i64 %half) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %latch ]
  %any = icmp ult i64 %id, %half
  br i1 %any, label %latch, label %then

then:
  store i32 1, ptr %a, align 4
  br label %latch

latch:
  %next = add nuw nsw i64 %id, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret void
}

define void @changes(ptr %a, ptr %b, i64 %n) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %latch ]
  %half = load i64, ptr %b, align 8
  %any = icmp ult i64 %id, %half
  br i1 %any, label %then, label %latch

then:
  store i32 1, ptr %a, align 4
  br label %latch

latch:
  %next = add nuw nsw i64 %id, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret void
}

; Nor where a value is used behind the loop.
; CHECK-LABEL: define i64 @result(
; CHECK: br i1 %more, label %x, label %end
define i64 @result(ptr %a, i64 %n, i64 %half) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %latch ]
  %any = icmp ult i64 %id, %half
  br i1 %any, label %then, label %latch

then:
  store i32 1, ptr %a, align 4
  br label %latch

latch:
  %next = add nuw nsw i64 %id, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret i64 %next
}

declare <8 x i32> @llvm.masked.load.v8i32.p0(ptr captures(none), <8 x i1>, <8 x i32>)
declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr captures(none), <8 x i1>)

!0 = distinct !{!0, !1}
!1 = !{!"clotho.sub_groups", i64 8}
