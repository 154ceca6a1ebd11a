; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=split-sub-group-loops %s | %check
; The loop over sub-groups is split at the point from which a mask is the same in all lanes.

; Sub-groups from the second on need no mask.
; CHECK-LABEL: define void @up(
; CHECK: x:
; CHECK: %[[MASK:.*]] = icmp ugt <8 x i32> %ids, splat (i32 1)
; CHECK: masked.load{{.*}} <8 x i1> %[[MASK]]
; CHECK: br i1 %more, label %divide, label %end
; CHECK: divide:
; CHECK: %[[FIRST:.*]] = icmp ult i64 %next, 8
; CHECK: br i1 %[[FIRST]], label %x, label %x.rest
; CHECK: x.rest:
; CHECK: phi i64 [ %next.rest, %x.rest ], [ %next, %divide ]
; CHECK: masked.load{{.*}} <8 x i1> splat (i1 true)
define void @up(ptr %a, i64 %n) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %x ]
  %id32 = trunc i64 %id to i32
  %in = insertelement <8 x i32> poison, i32 %id32, i64 0
  %all = shufflevector <8 x i32> %in, <8 x i32> poison, <8 x i32> zeroinitializer
  %ids = or disjoint <8 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %mask = icmp ugt <8 x i32> %ids, splat (i32 1)
  %p = getelementptr i32, ptr %a, i64 %id
  %q = getelementptr i32, ptr %p, i64 -2
  %v = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %q, <8 x i1> %mask, <8 x i32> zeroinitializer)
  store <8 x i32> %v, ptr %p, align 4
  %next = add nuw nsw i64 %id, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret void
}


; A bound that is a multiple of the width is known on both sides.
; CHECK-LABEL: define void @until(
; CHECK: x:
; CHECK: shufflevector <8 x i1> splat (i1 true)
; CHECK: icmp ult i64 %next, 32
; CHECK: x.rest:
; CHECK: shufflevector <8 x i1> zeroinitializer
define void @until(ptr %a, i64 %n) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %x ]
  %id32 = trunc i64 %id to i32
  %in = insertelement <8 x i32> poison, i32 %id32, i64 0
  %less = icmp ult <8 x i32> %in, splat (i32 32)
  %mask = shufflevector <8 x i1> %less, <8 x i1> poison, <8 x i32> zeroinitializer
  %p = getelementptr i32, ptr %a, i64 %id
  call void @llvm.masked.store.v8i32.p0(<8 x i32> splat (i32 1), ptr align 4 %p, <8 x i1> %mask)
  %next = add nuw nsw i64 %id, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %x, label %end, !llvm.loop !0

end:
  ret void
}

; Unmarked loops stay: nothing is known about their counters.
; CHECK-LABEL: define void @other(
; CHECK-NOT: divide
define void @other(ptr %a, i64 %n) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %x ]
  %id32 = trunc i64 %id to i32
  %in = insertelement <8 x i32> poison, i32 %id32, i64 0
  %less = icmp ult <8 x i32> %in, splat (i32 32)
  %mask = shufflevector <8 x i1> %less, <8 x i1> poison, <8 x i32> zeroinitializer
  %p = getelementptr i32, ptr %a, i64 %id
  call void @llvm.masked.store.v8i32.p0(<8 x i32> splat (i32 1), ptr align 4 %p, <8 x i1> %mask)
  %next = add nuw nsw i64 %id, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %x, label %end
; CHECK: end:
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"clotho.sub_groups", i32 8}
