; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Local arrays whose places are known become registers, of four elements here: what lies apart is shuffled.
; RUN: %opt --passes=promote-local-arrays,dce %s | %check

; Two sub-groups. Four steps write every second element; the last asks data whether to.
; CHECK-LABEL: define void @steps(
; CHECK: entry:
; CHECK-NEXT: %[[PLACE:.*]] = getelementptr i32, ptr %tile, i64 4
; CHECK-NEXT: %[[SECOND:.*]] = load <4 x i32>, ptr %[[PLACE]], align 4
; CHECK-NOT: getelementptr i32, ptr %tile
; CHECK: %[[ROW:.*]] = load <4 x i32>, ptr %in
; CHECK: %[[ODD:.*]] = shufflevector <4 x i32> %[[ROW]], <4 x i32> %[[SECOND]], <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK: %[[MORE:.*]] = add <4 x i32> %[[ODD]], splat (i32 1)
; CHECK: %[[A:.*]] = shufflevector <4 x i32> %[[ROW]], <4 x i32> %[[MORE]], <4 x i32> <i32 0, i32 4, i32 2, i32 5>
; CHECK: %[[CHOSEN:.*]] = select <4 x i1> %{{.*}}, <4 x i32> %{{.*}}, <4 x i32> %[[A]]
; CHECK: %[[LAST:.*]] = xor <4 x i32> %[[CHOSEN]]
; CHECK-NEXT: store <4 x i32> %[[LAST]], ptr %out
; CHECK: ret void
define void @steps(ptr %in, ptr %out, ptr noalias %tile) !clotho.facts !0 {
entry:
  br label %first

first:
  %l0 = phi i64 [ 0, %entry ], [ %more0, %first ]
  %isFirst = icmp eq i64 %l0, 0
  %row = insertelement <4 x i1> poison, i1 %isFirst, i64 0
  %mask0 = shufflevector <4 x i1> %row, <4 x i1> poison, <4 x i32> zeroinitializer
  %v0 = load <4 x i32>, ptr %in
  %to0 = getelementptr i32, ptr %tile, i64 %l0
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v0, ptr align 4 %to0, <4 x i1> %mask0)
  %more0 = add nuw nsw i64 %l0, 4
  %again0 = icmp ult i64 %more0, 8
  br i1 %again0, label %first, label %before1

before1:
  br label %second

second:
  %l1 = phi i64 [ 0, %before1 ], [ %more1, %second ]
  %start1 = insertelement <4 x i64> poison, i64 %l1, i64 0
  %same1 = shufflevector <4 x i64> %start1, <4 x i64> poison, <4 x i32> zeroinitializer
  %ids1 = add <4 x i64> %same1, <i64 0, i64 1, i64 2, i64 3>
  %double1 = shl <4 x i64> %ids1, splat (i64 1)
  %odd1 = or <4 x i64> %double1, splat (i64 1)
  %on1 = icmp ult <4 x i64> %odd1, splat (i64 8)
  %at1 = getelementptr i32, ptr %tile, <4 x i64> %odd1
  %v1 = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> align 4 %at1, <4 x i1> %on1, <4 x i32> poison)
  %w1 = add <4 x i32> %v1, splat (i32 1)
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %w1, <4 x ptr> align 4 %at1, <4 x i1> %on1)
  %more1 = add nuw nsw i64 %l1, 4
  %again1 = icmp ult i64 %more1, 8
  br i1 %again1, label %second, label %before2

before2:
  br label %third

third:
  %l2 = phi i64 [ 0, %before2 ], [ %more2, %third ]
  %at2 = getelementptr i32, ptr %tile, <4 x i64> <i64 0, i64 1, i64 2, i64 3>
  %v2 = load <4 x i32>, ptr %in
  %on2 = icmp ne <4 x i32> %v2, zeroinitializer
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v2, <4 x ptr> align 4 %at2, <4 x i1> %on2)
  %more2 = add nuw nsw i64 %l2, 4
  %again2 = icmp ult i64 %more2, 4
  br i1 %again2, label %third, label %before3

before3:
  br label %fourth

fourth:
  %l3 = phi i64 [ 0, %before3 ], [ %more3, %fourth ]
  %to3 = getelementptr i32, ptr %tile, i64 %l3
  %v3 = load <4 x i32>, ptr %to3
  %w3 = xor <4 x i32> %v3, splat (i32 5)
  store <4 x i32> %w3, ptr %to3
  %more3 = add nuw nsw i64 %l3, 4
  %again3 = icmp ult i64 %more3, 8
  br i1 %again3, label %fourth, label %last

last:
  %v4 = load <4 x i32>, ptr %tile
  store <4 x i32> %v4, ptr %out
  ret void
}

; These arrays stay in memory: a loaded index; an array whose address escapes; lanes that may be before the array; an
; array that is written in three loops only.
; CHECK-LABEL: define void @stay(
; CHECK: loop0:
; CHECK: masked.scatter{{.*}}%atA0
; CHECK: masked.scatter{{.*}}%atB0
; CHECK: masked.scatter{{.*}}%atC0
; CHECK: loop1:
; CHECK: masked.scatter{{.*}}%atA1
; CHECK: masked.scatter{{.*}}%atB1
; CHECK: masked.scatter{{.*}}%atC1
; CHECK: masked.scatter{{.*}}%atD1
; CHECK: loop2:
; CHECK: masked.scatter{{.*}}%atA2
; CHECK: masked.scatter{{.*}}%atB2
; CHECK: masked.scatter{{.*}}%atC2
; CHECK: masked.scatter{{.*}}%atD2
; CHECK: loop3:
; CHECK: masked.scatter{{.*}}%atA3
; CHECK: masked.scatter{{.*}}%atB3
; CHECK: masked.scatter{{.*}}%atC3
; CHECK: masked.scatter{{.*}}%atD3
; CHECK: ret void
define void @stay(ptr %in, ptr %a, ptr %b, ptr %c, ptr %d) !clotho.facts !1 {
entry:
  %n = load i64, ptr %in
  %v = load <4 x i32>, ptr %in
  %on = icmp ne <4 x i32> %v, zeroinitializer
  %start = getelementptr i32, ptr %a, i64 %n
  br label %loop0

loop0:
  %l0 = phi i64 [ 0, %entry ], [ %more0, %loop0 ]
  %atA0 = getelementptr i32, ptr %start, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atA0, <4 x i1> %on)
  %atB0 = getelementptr i32, ptr %b, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atB0, <4 x i1> %on)
  %atC0 = getelementptr i32, ptr %c, <4 x i64> <i64 -1, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atC0, <4 x i1> %on)
  %more0 = add nuw nsw i64 %l0, 4
  %again0 = icmp ult i64 %more0, 8
  br i1 %again0, label %loop0, label %before1

before1:
  br label %loop1

loop1:
  %l1 = phi i64 [ 0, %before1 ], [ %more1, %loop1 ]
  %atA1 = getelementptr i32, ptr %start, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atA1, <4 x i1> %on)
  %atB1 = getelementptr i32, ptr %b, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atB1, <4 x i1> %on)
  %atC1 = getelementptr i32, ptr %c, <4 x i64> <i64 -1, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atC1, <4 x i1> %on)
  %atD1 = getelementptr i32, ptr %d, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atD1, <4 x i1> %on)
  %more1 = add nuw nsw i64 %l1, 4
  %again1 = icmp ult i64 %more1, 8
  br i1 %again1, label %loop1, label %before2

before2:
  br label %loop2

loop2:
  %l2 = phi i64 [ 0, %before2 ], [ %more2, %loop2 ]
  %atA2 = getelementptr i32, ptr %start, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atA2, <4 x i1> %on)
  %atB2 = getelementptr i32, ptr %b, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atB2, <4 x i1> %on)
  %atC2 = getelementptr i32, ptr %c, <4 x i64> <i64 -1, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atC2, <4 x i1> %on)
  %atD2 = getelementptr i32, ptr %d, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atD2, <4 x i1> %on)
  %more2 = add nuw nsw i64 %l2, 4
  %again2 = icmp ult i64 %more2, 8
  br i1 %again2, label %loop2, label %before3

before3:
  br label %loop3

loop3:
  %l3 = phi i64 [ 0, %before3 ], [ %more3, %loop3 ]
  %atA3 = getelementptr i32, ptr %start, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atA3, <4 x i1> %on)
  %atB3 = getelementptr i32, ptr %b, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atB3, <4 x i1> %on)
  %atC3 = getelementptr i32, ptr %c, <4 x i64> <i64 -1, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atC3, <4 x i1> %on)
  %atD3 = getelementptr i32, ptr %d, <4 x i64> <i64 0, i64 2, i64 4, i64 6>
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %v, <4 x ptr> align 4 %atD3, <4 x i1> %on)
  %more3 = add nuw nsw i64 %l3, 4
  %again3 = icmp ult i64 %more3, 8
  br i1 %again3, label %loop3, label %done

done:
  call void @use(ptr %b)
  ret void
}

declare void @use(ptr)

!0 = !{!"width", i32 4, !"local-parameters", i64 4}
!1 = !{!"width", i32 4, !"local-parameters", i64 30}
