; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=fuse-steps %s | %check
; Steps a[i] += a[i - k] become one ascending loop that keeps the rows before in registers, three of them here.

; What fills the row is part of it, with what it asks for in advance; the third step needs two rows more, and stays.
; CHECK-LABEL: define void @filled(
; CHECK: %last = and i64 %n1, -4
; CHECK-NEXT: br label %third
; CHECK: third:
; CHECK-DAG: %[[KEPT1:.*]] = phi <4 x i32> [ zeroinitializer, %entry ], [ %[[ROW:.*]], %third ]
; CHECK-DAG: %[[KEPT4:.*]] = phi <4 x i32> [ splat (i32 7), %entry ], [ %[[SUM:.*]], %third ]
; CHECK-DAG: %id3 = phi i64 [ 0, %entry ], [ %[[NEXT:.*]], %third ]
; CHECK: %[[AT:.*]] = getelementptr i32, ptr %in, i64 %id3
; CHECK: %[[ROW]] = load <4 x i32>, ptr %[[AT]]
; CHECK: call void @llvm.prefetch
; CHECK: %[[BACK:.*]] = shufflevector <4 x i32> %[[KEPT1]], <4 x i32> %[[ROW]], <4 x i32> <i32 3, i32 4, i32 5, i32 6>
; CHECK: %[[SUM]] = add <4 x i32> %[[ROW]], %[[BACK]]
; CHECK-NOT: load
; CHECK: %[[ALL:.*]] = add <4 x i32> %[[SUM]], %[[KEPT4]]
; CHECK: store <4 x i32> %[[ALL]], ptr %own3
; CHECK: %[[NEXT]] = add nuw nsw i64 %id3, 4
; CHECK: %[[END:.*]] = icmp ugt i64 %[[NEXT]], %last
; CHECK: br i1 %[[END]], label %fourth, label %third
; CHECK: fourth:
; CHECK: masked.load
define void @filled(ptr noalias %a, ptr %in, i64 %n) {
entry:
  %n1 = add nsw i64 %n, -1
  %last = and i64 %n1, -4
  br label %first

first:
  %id1 = phi i64 [ 0, %entry ], [ %next1, %first ]
  %in.at = getelementptr i32, ptr %in, i64 %id1
  %in.row = load <4 x i32>, ptr %in.at, align 4
  %ahead = getelementptr i8, ptr %in.at, i64 1024
  call void @llvm.prefetch.p0(ptr %ahead, i32 0, i32 2, i32 1)
  %own1 = getelementptr i32, ptr %a, i64 %id1
  store <4 x i32> %in.row, ptr %own1, align 4
  %next1 = add nuw nsw i64 %id1, 4
  %more1 = icmp ult i64 %next1, %n
  br i1 %more1, label %first, label %second, !llvm.loop !0

second:
  %id2 = phi i64 [ %last, %first ], [ %next2, %second ]
  %id2.32 = trunc i64 %id2 to i32
  %in2 = insertelement <4 x i32> poison, i32 %id2.32, i64 0
  %all2 = shufflevector <4 x i32> %in2, <4 x i32> poison, <4 x i32> zeroinitializer
  %mask2 = icmp ne <4 x i32> %all2, <i32 0, i32 1, i32 2, i32 3>
  %own2 = getelementptr i32, ptr %a, i64 %id2
  %back2 = getelementptr i8, ptr %own2, i64 -4
  %b2 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back2, <4 x i1> %mask2, <4 x i32> zeroinitializer)
  %o2 = load <4 x i32>, ptr %own2, align 4
  %s2 = add <4 x i32> %o2, %b2
  store <4 x i32> %s2, ptr %own2, align 4
  %next2 = add nsw i64 %id2, -4
  %end2 = icmp eq i64 %id2, 0
  br i1 %end2, label %third, label %second, !llvm.loop !2

third:
  %id3 = phi i64 [ %last, %second ], [ %next3, %third ]
  %id3.32 = trunc i64 %id3 to i32
  %in3 = insertelement <4 x i32> poison, i32 %id3.32, i64 0
  %any3 = icmp ugt <4 x i32> %in3, splat (i32 3)
  %mask3 = shufflevector <4 x i1> %any3, <4 x i1> poison, <4 x i32> zeroinitializer
  %own3 = getelementptr i32, ptr %a, i64 %id3
  %back3 = getelementptr i8, ptr %own3, i64 -16
  %b3 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back3, <4 x i1> %mask3, <4 x i32> splat (i32 7))
  %o3 = load <4 x i32>, ptr %own3, align 4
  %s3 = add <4 x i32> %o3, %b3
  store <4 x i32> %s3, ptr %own3, align 4
  %next3 = add nsw i64 %id3, -4
  %end3 = icmp eq i64 %id3, 0
  br i1 %end3, label %fourth, label %third, !llvm.loop !3

fourth:
  %id4 = phi i64 [ %last, %third ], [ %next4, %fourth ]
  %id4.32 = trunc i64 %id4 to i32
  %in4 = insertelement <4 x i32> poison, i32 %id4.32, i64 0
  %any4 = icmp ugt <4 x i32> %in4, splat (i32 7)
  %mask4 = shufflevector <4 x i1> %any4, <4 x i1> poison, <4 x i32> zeroinitializer
  %own4 = getelementptr i32, ptr %a, i64 %id4
  %back4 = getelementptr i8, ptr %own4, i64 -32
  %b4 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back4, <4 x i1> %mask4, <4 x i32> zeroinitializer)
  %o4 = load <4 x i32>, ptr %own4, align 4
  %s4 = add <4 x i32> %o4, %b4
  store <4 x i32> %s4, ptr %own4, align 4
  %next4 = add nsw i64 %id4, -4
  %end4 = icmp eq i64 %id4, 0
  br i1 %end4, label %end, label %fourth, !llvm.loop !4

end:
  ret void
}

; Distances of which the least divides the others: every second row is a loop, twice.
; CHECK-LABEL: define i64 @strided(
; CHECK: first:
; CHECK: %first_row = phi i64 [ 0, %entry ], [ %[[NEXT_FIRST:.*]], %first.next ]
; CHECK: two:
; CHECK-NEXT: %[[KEPT2:.*]] = phi <4 x i32> [ zeroinitializer, %first ], [ %[[KEPT1:.*]], %two ]
; CHECK-NEXT: %[[KEPT1]] = phi <4 x i32> [ zeroinitializer, %first ], [ %[[SUM:.*]], %two ]
; CHECK-NEXT: %[[KEPT:.*]] = phi <4 x i32> [ zeroinitializer, %first ], [ %[[ROW:.*]], %two ]
; CHECK-NEXT: %id2 = phi i64 [ %[[NEXT:.*]], %two ], [ %first_row, %first ]
; CHECK: %[[ROW]] = load <4 x i32>
; CHECK: %[[SUM]] = add <4 x i32> %[[ROW]], %[[KEPT]]
; CHECK: add <4 x i32> %[[SUM]], %[[KEPT2]]
; CHECK: %[[NEXT]] = add nuw nsw i64 %id2, 8
; CHECK: %[[END:.*]] = icmp ugt i64 %[[NEXT]], %last
; CHECK: br i1 %[[END]], label %first.next, label %two
; CHECK: end:
; CHECK: first.next:
; CHECK: %[[NEXT_FIRST]] = add nuw nsw i64 %first_row, 4
define i64 @strided(ptr noalias %a, i64 %last) {
entry:
  br label %one

one:
  %id1 = phi i64 [ %last, %entry ], [ %next1, %one ]
  %in1 = insertelement <4 x i64> poison, i64 %id1, i64 0
  %any1 = icmp ugt <4 x i64> %in1, splat (i64 7)
  %mask1 = shufflevector <4 x i1> %any1, <4 x i1> poison, <4 x i32> zeroinitializer
  %own1 = getelementptr i32, ptr %a, i64 %id1
  %back1 = getelementptr i8, ptr %own1, i64 -32
  %b1 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back1, <4 x i1> %mask1, <4 x i32> zeroinitializer)
  %o1 = load <4 x i32>, ptr %own1, align 4
  %s1 = add <4 x i32> %o1, %b1
  store <4 x i32> %s1, ptr %own1, align 4
  %next1 = add nsw i64 %id1, -4
  %end1 = icmp eq i64 %id1, 0
  br i1 %end1, label %two, label %one, !llvm.loop !5

two:
  %id2 = phi i64 [ %last, %one ], [ %next2, %two ]
  %in2 = insertelement <4 x i64> poison, i64 %id2, i64 0
  %any2 = icmp ugt <4 x i64> %in2, splat (i64 15)
  %mask2 = shufflevector <4 x i1> %any2, <4 x i1> poison, <4 x i32> zeroinitializer
  %own2 = getelementptr i32, ptr %a, i64 %id2
  %back2 = getelementptr i8, ptr %own2, i64 -64
  %b2 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back2, <4 x i1> %mask2, <4 x i32> zeroinitializer)
  %o2 = load <4 x i32>, ptr %own2, align 4
  %s2 = add <4 x i32> %o2, %b2
  store <4 x i32> %s2, ptr %own2, align 4
  %next2 = add nsw i64 %id2, -4
  %end2 = icmp eq i64 %id2, 0
  br i1 %end2, label %end, label %two, !llvm.loop !6

end:
  %which = phi i64 [ %last, %two ]
  ret i64 %which
}

; A mask that is not for those from the distance on: lane 0 would read what is before the row.
; CHECK-LABEL: define void @other_mask(
; CHECK: first:
; CHECK: masked.load
; CHECK: second:
; CHECK: masked.load
define void @other_mask(ptr noalias %a, i64 %last) {
entry:
  br label %first

first:
  %id1 = phi i64 [ %last, %entry ], [ %next1, %first ]
  %in1 = insertelement <4 x i64> poison, i64 %id1, i64 0
  %all1 = shufflevector <4 x i64> %in1, <4 x i64> poison, <4 x i32> zeroinitializer
  %ids1 = or disjoint <4 x i64> %all1, <i64 0, i64 1, i64 2, i64 3>
  %mask1 = icmp ugt <4 x i64> %ids1, splat (i64 1)
  %own1 = getelementptr i32, ptr %a, i64 %id1
  %back1 = getelementptr i8, ptr %own1, i64 -4
  %b1 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back1, <4 x i1> %mask1, <4 x i32> zeroinitializer)
  store <4 x i32> %b1, ptr %own1, align 4
  %next1 = add nsw i64 %id1, -4
  %end1 = icmp eq i64 %id1, 0
  br i1 %end1, label %second, label %first, !llvm.loop !5

second:
  %id2 = phi i64 [ %last, %first ], [ %next2, %second ]
  %in2 = insertelement <4 x i64> poison, i64 %id2, i64 0
  %all2 = shufflevector <4 x i64> %in2, <4 x i64> poison, <4 x i32> zeroinitializer
  %mask2 = icmp ne <4 x i64> %all2, <i64 0, i64 1, i64 2, i64 3>
  %own2 = getelementptr i32, ptr %a, i64 %id2
  %back2 = getelementptr i8, ptr %own2, i64 -4
  %b2 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back2, <4 x i1> %mask2, <4 x i32> zeroinitializer)
  store <4 x i32> %b2, ptr %own2, align 4
  %next2 = add nsw i64 %id2, -4
  %end2 = icmp eq i64 %id2, 0
  br i1 %end2, label %end, label %second, !llvm.loop !6

end:
  ret void
}

; Which of several rows it is in is for the loops around it to say: what fills the row is not copied into those of the step.
; CHECK-LABEL: define void @one_of_several_rows(
; CHECK: first:
; CHECK: mul i64 %y, %n
; CHECK: second:
; CHECK: load <4 x i32>, ptr %own2
; CHECK-NOT: poison, %n
define void @one_of_several_rows(ptr noalias %a, ptr noalias %f, ptr %in, i64 %n, i64 %rows) {
entry:
  %n1 = add nsw i64 %n, -1
  %last = and i64 %n1, -4
  br label %yf
yf:
  %y = phi i64 [ 0, %entry ], [ %yn, %yl ]
  br label %first
first:
  %id1 = phi i64 [ 0, %yf ], [ %next1, %first ]
  %in.at = getelementptr i32, ptr %in, i64 %id1
  %in.row = load <4 x i32>, ptr %in.at, align 4
  %r = mul i64 %y, %n
  %ri = add i64 %r, %id1
  %slot = getelementptr i32, ptr %f, i64 %ri
  store <4 x i32> %in.row, ptr %slot, align 4
  %own1 = getelementptr i32, ptr %a, i64 %id1
  store <4 x i32> %in.row, ptr %own1, align 4
  %next1 = add nuw nsw i64 %id1, 4
  %more1 = icmp ult i64 %next1, %n
  br i1 %more1, label %first, label %yl, !llvm.loop !7
yl:
  %yn = add i64 %y, 1
  %ym = icmp ult i64 %yn, %rows
  br i1 %ym, label %yf, label %ys, !llvm.loop !8
ys:
  %y2 = phi i64 [ 0, %yl ], [ %yn2, %yl2 ]
  br label %second
second:
  %id2 = phi i64 [ %last, %ys ], [ %next2, %second ]
  %id2.32 = trunc i64 %id2 to i32
  %in2 = insertelement <4 x i32> poison, i32 %id2.32, i64 0
  %all2 = shufflevector <4 x i32> %in2, <4 x i32> poison, <4 x i32> zeroinitializer
  %mask2 = icmp ne <4 x i32> %all2, <i32 0, i32 1, i32 2, i32 3>
  %own2 = getelementptr i32, ptr %a, i64 %id2
  %back2 = getelementptr i8, ptr %own2, i64 -4
  %b2 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back2, <4 x i1> %mask2, <4 x i32> zeroinitializer)
  %o2 = load <4 x i32>, ptr %own2, align 4
  %s2 = add <4 x i32> %o2, %b2
  store <4 x i32> %s2, ptr %own2, align 4
  %next2 = add nsw i64 %id2, -4
  %end2 = icmp eq i64 %id2, 0
  br i1 %end2, label %yl2, label %second, !llvm.loop !9
yl2:
  %yn2 = add i64 %y2, 1
  %ym2 = icmp ult i64 %yn2, %rows
  br i1 %ym2, label %ys, label %end, !llvm.loop !10
end:
  ret void
}

; From one row to another and back: both get what they have in the end. Once only, whatever the loops around say: another
; round would begin with that.
; CHECK-LABEL: define void @two_rows(
; CHECK: second:
; CHECK-DAG: %[[KEPT4:.*]] = phi <4 x i32> [ %[[SUM:.*]], %second ], [ splat (i32 7), %y2 ]
; CHECK-DAG: %[[KEPT1:.*]] = phi <4 x i32> [ %[[ROW:.*]], %second ], [ zeroinitializer, %y2 ]
; CHECK: %[[AT:.*]] = getelementptr i32, ptr %a, i64 %id2
; CHECK: %[[ROW]] = load <4 x i32>, ptr %[[AT]]
; CHECK: %[[BACK:.*]] = shufflevector <4 x i32> %[[KEPT1]], <4 x i32> %[[ROW]], <4 x i32> <i32 3, i32 4, i32 5, i32 6>
; CHECK: %[[SUM]] = add <4 x i32> %[[ROW]], %[[BACK]]
; CHECK: %[[FAR:.*]] = getelementptr i8, ptr %{{.*}}, i64 64
; CHECK: store <4 x i32> %[[SUM]], ptr %[[FAR]]
; CHECK-NOT: load
; CHECK: %[[ALL:.*]] = add <4 x i32> %[[SUM]], %[[KEPT4]]
; CHECK: store <4 x i32> %[[ALL]], ptr %to2
; CHECK: %[[MORE:.*]] = icmp ult i64 %{{.*}}, %n
; CHECK: br i1 %[[MORE]], label %second, label %yl2
; CHECK: yl2:
; CHECK: br i1 false, label %y2, label %end
define void @two_rows(ptr noalias %a, i64 %n, i64 %rows) {
entry:
  br label %y1
y1:
  %y = phi i64 [ 0, %entry ], [ %yn, %yl1 ]
  br label %first
first:
  %id1 = phi i64 [ 0, %y1 ], [ %next1, %first ]
  %id1.32 = trunc i64 %id1 to i32
  %in1 = insertelement <4 x i32> poison, i32 %id1.32, i64 0
  %all1 = shufflevector <4 x i32> %in1, <4 x i32> poison, <4 x i32> zeroinitializer
  %mask1 = icmp ne <4 x i32> %all1, <i32 0, i32 1, i32 2, i32 3>
  %own1 = getelementptr i32, ptr %a, i64 %id1
  %to1 = getelementptr i8, ptr %own1, i64 64
  %back1 = getelementptr i8, ptr %own1, i64 -4
  %b1 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back1, <4 x i1> %mask1, <4 x i32> zeroinitializer)
  %o1 = load <4 x i32>, ptr %own1, align 4
  %s1 = add <4 x i32> %o1, %b1
  store <4 x i32> %s1, ptr %to1, align 4
  %next1 = add nuw nsw i64 %id1, 4
  %more1 = icmp ult i64 %next1, %n
  br i1 %more1, label %first, label %yl1, !llvm.loop !12
yl1:
  %yn = add i64 %y, 1
  %ym = icmp ult i64 %yn, %rows
  br i1 %ym, label %y1, label %y2, !llvm.loop !13
y2:
  %z = phi i64 [ 0, %yl1 ], [ %zn, %yl2 ]
  br label %second
second:
  %id2 = phi i64 [ 0, %y2 ], [ %next2, %second ]
  %id2.32 = trunc i64 %id2 to i32
  %in2 = insertelement <4 x i32> poison, i32 %id2.32, i64 0
  %any2 = icmp ugt <4 x i32> %in2, splat (i32 3)
  %mask2 = shufflevector <4 x i1> %any2, <4 x i1> poison, <4 x i32> zeroinitializer
  %other = getelementptr i8, ptr %a, i64 64
  %own2 = getelementptr i32, ptr %other, i64 %id2
  %to2 = getelementptr i32, ptr %a, i64 %id2
  %back2 = getelementptr i8, ptr %own2, i64 -16
  %b2 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back2, <4 x i1> %mask2, <4 x i32> splat (i32 7))
  %o2 = load <4 x i32>, ptr %own2, align 4
  %s2 = add <4 x i32> %o2, %b2
  store <4 x i32> %s2, ptr %to2, align 4
  %next2 = add nuw nsw i64 %id2, 4
  %more2 = icmp ult i64 %next2, %n
  br i1 %more2, label %second, label %yl2, !llvm.loop !14
yl2:
  %zn = add i64 %z, 1
  %zm = icmp ult i64 %zn, %rows
  br i1 %zm, label %y2, label %end, !llvm.loop !15
end:
  ret void
}

; What the second reads is not what the first has written.
; CHECK-LABEL: define void @another_row(
; CHECK: masked.load
; CHECK: masked.load
define void @another_row(ptr noalias %a, i64 %n, i64 %rows) {
entry:
  br label %y1
y1:
  %y = phi i64 [ 0, %entry ], [ %yn, %yl1 ]
  br label %first
first:
  %id1 = phi i64 [ 0, %y1 ], [ %next1, %first ]
  %id1.32 = trunc i64 %id1 to i32
  %in1 = insertelement <4 x i32> poison, i32 %id1.32, i64 0
  %all1 = shufflevector <4 x i32> %in1, <4 x i32> poison, <4 x i32> zeroinitializer
  %mask1 = icmp ne <4 x i32> %all1, <i32 0, i32 1, i32 2, i32 3>
  %own1 = getelementptr i32, ptr %a, i64 %id1
  %to1 = getelementptr i8, ptr %own1, i64 64
  %back1 = getelementptr i8, ptr %own1, i64 -4
  %b1 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back1, <4 x i1> %mask1, <4 x i32> zeroinitializer)
  %o1 = load <4 x i32>, ptr %own1, align 4
  %s1 = add <4 x i32> %o1, %b1
  store <4 x i32> %s1, ptr %to1, align 4
  %next1 = add nuw nsw i64 %id1, 4
  %more1 = icmp ult i64 %next1, %n
  br i1 %more1, label %first, label %yl1, !llvm.loop !12
yl1:
  %yn = add i64 %y, 1
  %ym = icmp ult i64 %yn, %rows
  br i1 %ym, label %y1, label %y2, !llvm.loop !13
y2:
  %z = phi i64 [ 0, %yl1 ], [ %zn, %yl2 ]
  br label %second
second:
  %id2 = phi i64 [ 0, %y2 ], [ %next2, %second ]
  %id2.32 = trunc i64 %id2 to i32
  %in2 = insertelement <4 x i32> poison, i32 %id2.32, i64 0
  %any2 = icmp ugt <4 x i32> %in2, splat (i32 3)
  %mask2 = shufflevector <4 x i1> %any2, <4 x i1> poison, <4 x i32> zeroinitializer
  %other = getelementptr i8, ptr %a, i64 128
  %own2 = getelementptr i32, ptr %other, i64 %id2
  %to2 = getelementptr i32, ptr %a, i64 %id2
  %back2 = getelementptr i8, ptr %own2, i64 -16
  %b2 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back2, <4 x i1> %mask2, <4 x i32> splat (i32 7))
  %o2 = load <4 x i32>, ptr %own2, align 4
  %s2 = add <4 x i32> %o2, %b2
  store <4 x i32> %s2, ptr %to2, align 4
  %next2 = add nuw nsw i64 %id2, 4
  %more2 = icmp ult i64 %next2, %n
  br i1 %more2, label %second, label %yl2, !llvm.loop !14
yl2:
  %zn = add i64 %z, 1
  %zm = icmp ult i64 %zn, %rows
  br i1 %zm, label %y2, label %end, !llvm.loop !15
end:
  ret void
}

; A step that ends a chain is not what fills the row of the next one.
; CHECK-LABEL: define void @in_two_chains(
; CHECK: load <4 x i32>, ptr %own.in
; CHECK: store <4 x i32>
; CHECK: store <4 x i32> %{{.*}}, ptr %to.y
; CHECK: label %second, label %third
; CHECK: load <4 x i32>, ptr %own.y
; CHECK: store <4 x i32> %{{.*}}, ptr %to.z
define void @in_two_chains(ptr noalias %x, ptr noalias %y, ptr noalias %z, ptr noalias %in, i64 %n) {
entry:
  br label %first
first:
  %id1 = phi i64 [ 0, %entry ], [ %next1, %first ]
  %own.in = getelementptr i32, ptr %in, i64 %id1
  %o1 = load <4 x i32>, ptr %own.in, align 4
  %to.x = getelementptr i32, ptr %x, i64 %id1
  store <4 x i32> %o1, ptr %to.x, align 4
  %next1 = add nuw nsw i64 %id1, 4
  %more1 = icmp ult i64 %next1, %n
  br i1 %more1, label %first, label %second, !llvm.loop !16
second:
  %id2 = phi i64 [ 0, %first ], [ %next2, %second ]
  %own.x = getelementptr i32, ptr %x, i64 %id2
  %o2 = load <4 x i32>, ptr %own.x, align 4
  %s2 = mul <4 x i32> %o2, splat (i32 3)
  %to.y = getelementptr i32, ptr %y, i64 %id2
  store <4 x i32> %s2, ptr %to.y, align 4
  %next2 = add nuw nsw i64 %id2, 4
  %more2 = icmp ult i64 %next2, %n
  br i1 %more2, label %second, label %third, !llvm.loop !17
third:
  %id3 = phi i64 [ 0, %second ], [ %next3, %third ]
  %own.y = getelementptr i32, ptr %y, i64 %id3
  %o3 = load <4 x i32>, ptr %own.y, align 4
  %s3 = mul <4 x i32> %o3, splat (i32 5)
  %to.z = getelementptr i32, ptr %z, i64 %id3
  store <4 x i32> %s3, ptr %to.z, align 4
  %next3 = add nuw nsw i64 %id3, 4
  %more3 = icmp ult i64 %next3, %n
  br i1 %more3, label %third, label %end, !llvm.loop !18
end:
  ret void
}

; A step to another row that goes down does so for want of a barrier between reading and writing: the rows may overlap.
; CHECK-LABEL: define void @descending_to_another_row(
; CHECK: br i1 %more1, label %first, label %second
; CHECK: masked.load
; CHECK: add nsw i64 %id2, -4
define void @descending_to_another_row(ptr noalias %a, ptr noalias %in, i64 %n, i64 %last) {
entry:
  br label %first
first:
  %id1 = phi i64 [ 0, %entry ], [ %next1, %first ]
  %own.in = getelementptr i32, ptr %in, i64 %id1
  %o1 = load <4 x i32>, ptr %own.in, align 4
  %to1 = getelementptr i32, ptr %a, i64 %id1
  store <4 x i32> %o1, ptr %to1, align 4
  %next1 = add nuw nsw i64 %id1, 4
  %more1 = icmp ult i64 %next1, %n
  br i1 %more1, label %first, label %second, !llvm.loop !19
second:
  %id2 = phi i64 [ %last, %first ], [ %next2, %second ]
  %own2 = getelementptr i32, ptr %a, i64 %id2
  %o2 = load <4 x i32>, ptr %own2, align 4
  %id2.32 = trunc i64 %id2 to i32
  %in2 = insertelement <4 x i32> poison, i32 %id2.32, i64 0
  %all2 = shufflevector <4 x i32> %in2, <4 x i32> poison, <4 x i32> zeroinitializer
  %mask2 = icmp ne <4 x i32> %all2, <i32 0, i32 1, i32 2, i32 3>
  %back2 = getelementptr i8, ptr %own2, i64 -4
  %b2 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back2, <4 x i1> %mask2, <4 x i32> zeroinitializer)
  %s2 = add <4 x i32> %o2, %b2
  %to2 = getelementptr i8, ptr %own2, i64 64
  store <4 x i32> %s2, ptr %to2, align 4
  %next2 = add nsw i64 %id2, -4
  %done2 = icmp eq i64 %id2, 0
  br i1 %done2, label %end, label %second, !llvm.loop !20
end:
  ret void
}

; What the filling loop computes of the group's number is needed later too: it is computed before both.
; CHECK-LABEL: define i64 @shared(
; CHECK: %begin = shl i64 %group, 8
; CHECK: br label %second
; CHECK: second:
; CHECK: load <4 x i32>, ptr %
; CHECK-NOT: load
; CHECK: ret i64 %begin
define i64 @shared(ptr noalias %a, ptr %in, i64 %n, i64 %group) {
entry:
  %n1 = add nsw i64 %n, -1
  %last = and i64 %n1, -4
  br label %first

first:
  %id1 = phi i64 [ 0, %entry ], [ %next1, %first ]
  %begin = shl i64 %group, 8
  %in.group = getelementptr i32, ptr %in, i64 %begin
  %in.at = getelementptr i32, ptr %in.group, i64 %id1
  %in.row = load <4 x i32>, ptr %in.at, align 4
  %own1 = getelementptr i32, ptr %a, i64 %id1
  store <4 x i32> %in.row, ptr %own1, align 4
  %next1 = add nuw nsw i64 %id1, 4
  %more1 = icmp ult i64 %next1, %n
  br i1 %more1, label %first, label %second, !llvm.loop !21

second:
  %id2 = phi i64 [ %last, %first ], [ %next2, %second ]
  %id2.32 = trunc i64 %id2 to i32
  %in2 = insertelement <4 x i32> poison, i32 %id2.32, i64 0
  %all2 = shufflevector <4 x i32> %in2, <4 x i32> poison, <4 x i32> zeroinitializer
  %mask2 = icmp ne <4 x i32> %all2, <i32 0, i32 1, i32 2, i32 3>
  %own2 = getelementptr i32, ptr %a, i64 %id2
  %back2 = getelementptr i8, ptr %own2, i64 -4
  %b2 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %back2, <4 x i1> %mask2, <4 x i32> zeroinitializer)
  %o2 = load <4 x i32>, ptr %own2, align 4
  %s2 = add <4 x i32> %o2, %b2
  store <4 x i32> %s2, ptr %own2, align 4
  %next2 = add nsw i64 %id2, -4
  %end2 = icmp eq i64 %id2, 0
  br i1 %end2, label %end, label %second, !llvm.loop !22

end:
  ret i64 %begin
}

declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

!0 = distinct !{!0, !1}
!1 = !{!"clotho.sub_groups", i32 4}
!2 = distinct !{!2, !1}
!3 = distinct !{!3, !1}
!4 = distinct !{!4, !1}
!5 = distinct !{!5, !1}
!6 = distinct !{!6, !1}
!7 = distinct !{!7, !1}
!8 = distinct !{!8, !11}
!9 = distinct !{!9, !1}
!10 = distinct !{!10, !11}
!11 = !{!"clotho.rows"}
!12 = distinct !{!12, !1}
!13 = distinct !{!13, !11}
!14 = distinct !{!14, !1}
!15 = distinct !{!15, !11}
!16 = distinct !{!16, !1}
!17 = distinct !{!17, !1}
!18 = distinct !{!18, !1}
!19 = distinct !{!19, !1}
!20 = distinct !{!20, !1}
!21 = distinct !{!21, !1}
!22 = distinct !{!22, !1}
