; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Work-groups of a known size: their sub-groups run side by side, and arrays that they read as they wrote them are
; variables.
; RUN: %opt --passes=unroll-sub-groups %s | %check
; RUN: %opt --passes=unroll-sub-groups,keep-tiles %s | %check --check-prefix=TILES
; RUN: %opt --passes=halve-tile-stores %s | %check --check-prefix=HALVES

; Instruction by instruction; what is the same for all, once; what is known, not at all.
; CHECK-LABEL: define void @beside(
; CHECK: row:
; CHECK-NEXT: %[[SAME:.*]] = load float, ptr %in
; CHECK-NEXT: %[[FROM:.*]] = getelementptr <4 x float>, ptr %in, i64 0
; CHECK-NEXT: %[[FROM1:.*]] = getelementptr <4 x float>, ptr %in, i64 1
; CHECK-NEXT: %[[V:.*]] = load <4 x float>, ptr %[[FROM]]
; CHECK-NEXT: %[[V1:.*]] = load <4 x float>, ptr %[[FROM1]]
; CHECK-NEXT: %[[TO:.*]] = getelementptr <4 x float>, ptr %tile, i64 0
; CHECK-NEXT: %[[TO1:.*]] = getelementptr <4 x float>, ptr %tile, i64 1
; CHECK-NEXT: store <4 x float> %[[V]], ptr %[[TO]]
; CHECK-NEXT: store <4 x float> %[[V1]], ptr %[[TO1]]
; CHECK-NEXT: br label %next
; CHECK: next:
; CHECK-NEXT: store float %[[SAME]], ptr %out
; TILES-LABEL: define void @beside(
; TILES: %tile.own = alloca [32 x i8]
; TILES: call void @llvm.memset
; TILES-NOT: ptr %tile,
; TILES: ret void
define void @beside(ptr %launch, ptr %context, ptr %frame, i64 %x, i64 %y, i64 %z, i64 %end, ptr noalias %tile, ptr %in, ptr %out) !clotho.facts !4 {
entry:
  br label %row

row:
  %id = phi i64 [ 0, %entry ], [ %more, %row ]
  %same = load float, ptr %in
  %from = getelementptr <4 x float>, ptr %in, i64 %id
  %v = load <4 x float>, ptr %from
  %to = getelementptr <4 x float>, ptr %tile, i64 %id
  store <4 x float> %v, ptr %to
  %more = add nuw nsw i64 %id, 1
  %again = icmp ult i64 %more, 2
  br i1 %again, label %row, label %next, !llvm.loop !0

next:
  store float %same, ptr %out
  %last = getelementptr i8, ptr %tile, i64 16
  %w = load <4 x float>, ptr %last
  store <4 x float> %w, ptr %out
  ret void
}

; Elements of a tile are read: it stays.
; TILES-LABEL: define void @elements(
; TILES-NOT: alloca
; TILES: ret void
define void @elements(ptr %launch, ptr %context, ptr %frame, i64 %x, i64 %y, i64 %z, i64 %end, ptr noalias %tile, ptr %out) !clotho.facts !4 {
  store <4 x float> zeroinitializer, ptr %tile
  %second = getelementptr i8, ptr %tile, i64 4
  %v = load float, ptr %second
  store float %v, ptr %out
  ret void
}

; Whole registers are loaded and stored half by half, where nothing else may write what is loaded.
; HALVES-LABEL: define void @halves(
; HALVES-NEXT: %[[LOW:.*]] = load <8 x float>, ptr %in, align 16
; HALVES-NEXT: store volatile <8 x float> %[[LOW]], ptr %tile, align 64
; HALVES-NEXT: %[[FROM:.*]] = getelementptr inbounds i8, ptr %in, i64 32
; HALVES-NEXT: %[[HIGH:.*]] = load <8 x float>, ptr %[[FROM]], align 16
; HALVES-NEXT: %[[TO:.*]] = getelementptr inbounds i8, ptr %tile, i64 32
; HALVES-NEXT: store volatile <8 x float> %[[HIGH]], ptr %[[TO]], align 32
; HALVES-NEXT: %w = load <16 x float>, ptr %in
; HALVES-NEXT: store i32 0, ptr %out
; HALVES: shufflevector <16 x float> %w
; HALVES: store volatile <8 x float>
; HALVES: shufflevector <16 x float> %w
; HALVES: store volatile <8 x float>
define void @halves(ptr %launch, ptr %context, ptr %frame, i64 %x, i64 %y, i64 %z, i64 %end, ptr noalias %tile, ptr %in, ptr %out) !clotho.facts !4 {
  %v = load <16 x float>, ptr %in, align 16
  store <16 x float> %v, ptr %tile, align 64
  %w = load <16 x float>, ptr %in, align 16
  store i32 0, ptr %out
  store <16 x float> %w, ptr %tile, align 64
  ret void
}

; A counter that the next sub-group reads: one after the other. So does a loop of the kernel's own.
; CHECK-LABEL: define void @counter(
; CHECK: phi i64
; CHECK: phi i64
; CHECK: ret void
define void @counter(ptr %launch, ptr %context, ptr %frame, i64 %x, i64 %y, i64 %z, i64 %end, ptr noalias %tile, ptr %in, ptr %out) !clotho.facts !4 {
entry:
  br label %row

row:
  %id = phi i64 [ 0, %entry ], [ %more, %row ]
  %count = load i32, ptr %tile
  %added = add i32 %count, 1
  store i32 %added, ptr %tile
  %more = add nuw nsw i64 %id, 1
  %again = icmp ult i64 %more, 2
  br i1 %again, label %row, label %own, !llvm.loop !3

own:
  %k = phi i64 [ 0, %row ], [ %k1, %own ]
  %from = getelementptr i32, ptr %in, i64 %k
  %v = load i32, ptr %from
  %to = getelementptr i32, ptr %out, i64 %k
  store i32 %v, ptr %to
  %k1 = add nuw nsw i64 %k, 1
  %round = icmp ult i64 %k1, 2
  br i1 %round, label %own, label %done

done:
  ret void
}


!0 = distinct !{!0, !1}
!1 = !{!"clotho.rows"}
!3 = distinct !{!3, !1}
!4 = !{!"whole-group", i32 1}
