; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=promote-local-arrays,dce %s | %check
; One of two lanes exchanges both elements, depending on data. Which lane that is, is kept in the frame. No test whether
; any lane exchanges remains, and integers become minima and maxima.

declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)

; CHECK-LABEL: define void @exchange(
; CHECK-NOT: br i1
; CHECK-NOT: ptr %frame
; CHECK-NOT: icmp
; CHECK: %[[PLACE:.*]] = getelementptr i32, ptr %tile, i64 0
; CHECK-NEXT: %[[X:.*]] = load <4 x i32>, ptr %[[PLACE]]
; CHECK: %[[Y:.*]] = shufflevector <4 x i32> %[[X]], <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
; CHECK: %[[LOW:.*]] = call <4 x i32> @llvm.umin.v4i32(<4 x i32> %[[X]], <4 x i32> %[[Y]])
; CHECK: %[[HIGH:.*]] = call <4 x i32> @llvm.umax.v4i32(<4 x i32> %[[X]], <4 x i32> %[[Y]])
; CHECK-NEXT: %[[NEXT:.*]] = shufflevector <4 x i32> %[[LOW]], <4 x i32> %[[HIGH]], <4 x i32> <i32 0, i32 4, i32 6, i32 2>
; CHECK-NEXT: shufflevector <4 x i32> %[[NEXT]], <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
; CHECK-NOT: br i1
; CHECK-NOT: ptr %frame
; CHECK-NOT: masked.store
; CHECK: store <4 x i32> %{{.*}}, ptr %out
define void @exchange(ptr %in, ptr %out, ptr noalias %frame, ptr noalias %tile) !clotho.facts !0 {
entry:
  br label %before0

before0:
  br label %loop0

loop0:
  %l0 = phi i64 [ 0, %before0 ], [ %more0, %next0 ]
  %row0 = getelementptr i32, ptr %tile, i64 %l0
  %slot0 = getelementptr i8, ptr %frame, i64 %l0
  %start = trunc i64 %l0 to i32
  %wide = insertelement <4 x i32> poison, i32 %start, i64 0
  %same = shufflevector <4 x i32> %wide, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or <4 x i32> %same, <i32 0, i32 1, i32 2, i32 3>
  %partner = xor <4 x i32> %ids, splat (i32 1)
  %first0 = icmp ugt <4 x i32> %partner, %ids
  store <4 x i1> %first0, ptr %slot0
  %x0 = load <4 x i32>, ptr %row0
  %y0 = shufflevector <4 x i32> %x0, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %greater0 = icmp ugt <4 x i32> %x0, %y0
  %flipped0 = xor <4 x i1> <i1 false, i1 false, i1 true, i1 true>, %greater0
  %on0 = select <4 x i1> %first0, <4 x i1> %flipped0, <4 x i1> zeroinitializer
  %bits0 = bitcast <4 x i1> %on0 to i4
  %none0 = icmp eq i4 %bits0, 0
  br i1 %none0, label %next0, label %then0

then0:
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %y0, ptr align 4 %row0, <4 x i1> %on0)
  %z0 = shufflevector <4 x i32> %x0, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %others0 = shufflevector <4 x i1> %on0, <4 x i1> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %z0, ptr align 4 %row0, <4 x i1> %others0)
  br label %next0

next0:
  %more0 = add nuw nsw i64 %l0, 4
  %again0 = icmp ult i64 %more0, 8
  br i1 %again0, label %loop0, label %before1

before1:
  br label %loop1

loop1:
  %l1 = phi i64 [ 0, %before1 ], [ %more1, %next1 ]
  %row1 = getelementptr i32, ptr %tile, i64 %l1
  %slot1 = getelementptr i8, ptr %frame, i64 %l1
  %first1 = load <4 x i1>, ptr %slot1
  %x1 = load <4 x i32>, ptr %row1
  %y1 = shufflevector <4 x i32> %x1, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %greater1 = icmp ugt <4 x i32> %x1, %y1
  %flipped1 = xor <4 x i1> %greater1, <i1 false, i1 false, i1 true, i1 true>
  %on1 = select <4 x i1> %first1, <4 x i1> %flipped1, <4 x i1> zeroinitializer
  %bits1 = bitcast <4 x i1> %on1 to i4
  %none1 = icmp eq i4 %bits1, 0
  br i1 %none1, label %next1, label %then1

then1:
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %y1, ptr align 4 %row1, <4 x i1> %on1)
  %z1 = shufflevector <4 x i32> %x1, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %others1 = shufflevector <4 x i1> %on1, <4 x i1> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %z1, ptr align 4 %row1, <4 x i1> %others1)
  br label %next1

next1:
  %more1 = add nuw nsw i64 %l1, 4
  %again1 = icmp ult i64 %more1, 8
  br i1 %again1, label %loop1, label %before2

before2:
  br label %loop2

loop2:
  %l2 = phi i64 [ 0, %before2 ], [ %more2, %next2 ]
  %row2 = getelementptr i32, ptr %tile, i64 %l2
  %slot2 = getelementptr i8, ptr %frame, i64 %l2
  %first2 = load <4 x i1>, ptr %slot2
  %x2 = load <4 x i32>, ptr %row2
  %y2 = shufflevector <4 x i32> %x2, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %greater2 = icmp ugt <4 x i32> %x2, %y2
  %flipped2 = xor <4 x i1> <i1 false, i1 false, i1 true, i1 true>, %greater2
  %on2 = select <4 x i1> %first2, <4 x i1> %flipped2, <4 x i1> zeroinitializer
  %bits2 = bitcast <4 x i1> %on2 to i4
  %none2 = icmp eq i4 %bits2, 0
  br i1 %none2, label %next2, label %then2

then2:
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %y2, ptr align 4 %row2, <4 x i1> %on2)
  %z2 = shufflevector <4 x i32> %x2, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %others2 = shufflevector <4 x i1> %on2, <4 x i1> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %z2, ptr align 4 %row2, <4 x i1> %others2)
  br label %next2

next2:
  %more2 = add nuw nsw i64 %l2, 4
  %again2 = icmp ult i64 %more2, 8
  br i1 %again2, label %loop2, label %before3

before3:
  br label %loop3

loop3:
  %l3 = phi i64 [ 0, %before3 ], [ %more3, %next3 ]
  %row3 = getelementptr i32, ptr %tile, i64 %l3
  %slot3 = getelementptr i8, ptr %frame, i64 %l3
  %first3 = load <4 x i1>, ptr %slot3
  %x3 = load <4 x i32>, ptr %row3
  %y3 = shufflevector <4 x i32> %x3, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %greater3 = icmp ugt <4 x i32> %x3, %y3
  %flipped3 = xor <4 x i1> %greater3, <i1 false, i1 false, i1 true, i1 true>
  %on3 = select <4 x i1> %first3, <4 x i1> %flipped3, <4 x i1> zeroinitializer
  %bits3 = bitcast <4 x i1> %on3 to i4
  %none3 = icmp eq i4 %bits3, 0
  br i1 %none3, label %next3, label %then3

then3:
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %y3, ptr align 4 %row3, <4 x i1> %on3)
  %z3 = shufflevector <4 x i32> %x3, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %others3 = shufflevector <4 x i1> %on3, <4 x i1> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %z3, ptr align 4 %row3, <4 x i1> %others3)
  br label %next3

next3:
  %more3 = add nuw nsw i64 %l3, 4
  %again3 = icmp ult i64 %more3, 8
  br i1 %again3, label %loop3, label %last

last:
  %v = load <4 x i32>, ptr %tile
  store <4 x i32> %v, ptr %out
  ret void
}

; What is equal is neither.
; CHECK-LABEL: define void @equal(
; CHECK-NOT: br i1
; CHECK: icmp eq <4 x i32>
; CHECK: select <4 x i1>
; CHECK-NOT: masked.store
; CHECK: store <4 x i32> %{{.*}}, ptr %out
define void @equal(ptr %in, ptr %out, ptr noalias %frame, ptr noalias %tile) !clotho.facts !0 {
entry:
  br label %before0

before0:
  br label %loop0

loop0:
  %l0 = phi i64 [ 0, %before0 ], [ %more0, %next0 ]
  %row0 = getelementptr i32, ptr %tile, i64 %l0
  %slot0 = getelementptr i8, ptr %frame, i64 %l0
  %start = trunc i64 %l0 to i32
  %wide = insertelement <4 x i32> poison, i32 %start, i64 0
  %same = shufflevector <4 x i32> %wide, <4 x i32> poison, <4 x i32> zeroinitializer
  %ids = or <4 x i32> %same, <i32 0, i32 1, i32 2, i32 3>
  %partner = xor <4 x i32> %ids, splat (i32 1)
  %first0 = icmp ugt <4 x i32> %partner, %ids
  store <4 x i1> %first0, ptr %slot0
  %x0 = load <4 x i32>, ptr %row0
  %y0 = shufflevector <4 x i32> %x0, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %greater0 = icmp eq <4 x i32> %x0, %y0
  %flipped0 = xor <4 x i1> %greater0, <i1 false, i1 false, i1 true, i1 true>
  %on0 = select <4 x i1> %first0, <4 x i1> %flipped0, <4 x i1> zeroinitializer
  %bits0 = bitcast <4 x i1> %on0 to i4
  %none0 = icmp eq i4 %bits0, 0
  br i1 %none0, label %next0, label %then0

then0:
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %y0, ptr align 4 %row0, <4 x i1> %on0)
  %z0 = shufflevector <4 x i32> %x0, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %others0 = shufflevector <4 x i1> %on0, <4 x i1> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %z0, ptr align 4 %row0, <4 x i1> %others0)
  br label %next0

next0:
  %more0 = add nuw nsw i64 %l0, 4
  %again0 = icmp ult i64 %more0, 8
  br i1 %again0, label %loop0, label %before1

before1:
  br label %loop1

loop1:
  %l1 = phi i64 [ 0, %before1 ], [ %more1, %next1 ]
  %row1 = getelementptr i32, ptr %tile, i64 %l1
  %slot1 = getelementptr i8, ptr %frame, i64 %l1
  %first1 = load <4 x i1>, ptr %slot1
  %x1 = load <4 x i32>, ptr %row1
  %y1 = shufflevector <4 x i32> %x1, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %greater1 = icmp eq <4 x i32> %x1, %y1
  %flipped1 = xor <4 x i1> %greater1, <i1 false, i1 false, i1 true, i1 true>
  %on1 = select <4 x i1> %first1, <4 x i1> %flipped1, <4 x i1> zeroinitializer
  %bits1 = bitcast <4 x i1> %on1 to i4
  %none1 = icmp eq i4 %bits1, 0
  br i1 %none1, label %next1, label %then1

then1:
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %y1, ptr align 4 %row1, <4 x i1> %on1)
  %z1 = shufflevector <4 x i32> %x1, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %others1 = shufflevector <4 x i1> %on1, <4 x i1> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %z1, ptr align 4 %row1, <4 x i1> %others1)
  br label %next1

next1:
  %more1 = add nuw nsw i64 %l1, 4
  %again1 = icmp ult i64 %more1, 8
  br i1 %again1, label %loop1, label %before2

before2:
  br label %loop2

loop2:
  %l2 = phi i64 [ 0, %before2 ], [ %more2, %next2 ]
  %row2 = getelementptr i32, ptr %tile, i64 %l2
  %slot2 = getelementptr i8, ptr %frame, i64 %l2
  %first2 = load <4 x i1>, ptr %slot2
  %x2 = load <4 x i32>, ptr %row2
  %y2 = shufflevector <4 x i32> %x2, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %greater2 = icmp eq <4 x i32> %x2, %y2
  %flipped2 = xor <4 x i1> %greater2, <i1 false, i1 false, i1 true, i1 true>
  %on2 = select <4 x i1> %first2, <4 x i1> %flipped2, <4 x i1> zeroinitializer
  %bits2 = bitcast <4 x i1> %on2 to i4
  %none2 = icmp eq i4 %bits2, 0
  br i1 %none2, label %next2, label %then2

then2:
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %y2, ptr align 4 %row2, <4 x i1> %on2)
  %z2 = shufflevector <4 x i32> %x2, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %others2 = shufflevector <4 x i1> %on2, <4 x i1> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %z2, ptr align 4 %row2, <4 x i1> %others2)
  br label %next2

next2:
  %more2 = add nuw nsw i64 %l2, 4
  %again2 = icmp ult i64 %more2, 8
  br i1 %again2, label %loop2, label %before3

before3:
  br label %loop3

loop3:
  %l3 = phi i64 [ 0, %before3 ], [ %more3, %next3 ]
  %row3 = getelementptr i32, ptr %tile, i64 %l3
  %slot3 = getelementptr i8, ptr %frame, i64 %l3
  %first3 = load <4 x i1>, ptr %slot3
  %x3 = load <4 x i32>, ptr %row3
  %y3 = shufflevector <4 x i32> %x3, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %greater3 = icmp eq <4 x i32> %x3, %y3
  %flipped3 = xor <4 x i1> %greater3, <i1 false, i1 false, i1 true, i1 true>
  %on3 = select <4 x i1> %first3, <4 x i1> %flipped3, <4 x i1> zeroinitializer
  %bits3 = bitcast <4 x i1> %on3 to i4
  %none3 = icmp eq i4 %bits3, 0
  br i1 %none3, label %next3, label %then3

then3:
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %y3, ptr align 4 %row3, <4 x i1> %on3)
  %z3 = shufflevector <4 x i32> %x3, <4 x i32> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %others3 = shufflevector <4 x i1> %on3, <4 x i1> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %z3, ptr align 4 %row3, <4 x i1> %others3)
  br label %next3

next3:
  %more3 = add nuw nsw i64 %l3, 4
  %again3 = icmp ult i64 %more3, 8
  br i1 %again3, label %loop3, label %last

last:
  %v = load <4 x i32>, ptr %tile
  store <4 x i32> %v, ptr %out
  ret void
}

!0 = !{!"width", i32 4, !"local-parameters", i64 8}
