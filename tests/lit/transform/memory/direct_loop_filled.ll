; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=direct-kernels %s | %check
; Tiles with a margin that loops of the whole group fill: what is read is computed where it is read, from its place.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

@tile = internal addrspace(3) global [100 x i32] undef
@tile2 = internal addrspace(3) global [100 x i32] undef
@rows = internal addrspace(3) global [32 x [33 x i32]] undef

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.global_id(i32) #0
declare i64 @clotho.group_id(i32) #0
declare void @clotho.barrier() #1

; 8 x 8 work-items fill 10 x 10 elements; 10 * (y + 1) + x + 2 is in row y + 1 and column x + 2.
define spir_kernel void @linear(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %w) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %gx = call i64 @clotho.group_id(i32 0)
  %gx32 = trunc i64 %gx to i32
  %x0 = shl i32 %gx32, 3
  %x32 = trunc nuw nsw i64 %x to i32
  %y32 = trunc nuw nsw i64 %y to i32
  %before = shl nuw nsw i32 %y32, 3
  %first = add nuw nsw i32 %before, %x32
  br label %round

round:
  %i = phi i32 [ %first, %entry ], [ %i.next, %stored ]
  %more = icmp samesign ult i32 %i, 100
  br i1 %more, label %fill, label %read

fill:
  %row = udiv i32 %i, 10
  %column = urem i32 %i, 10
  %u = add i32 %x0, %column
  %is.in = icmp slt i32 %u, %w
  br i1 %is.in, label %load, label %stored

load:
  %start = mul i32 %row, %w
  %at = add i32 %start, %u
  %at64 = sext i32 %at to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %at64
  %e = load i32, ptr addrspace(1) %p, align 4
  br label %stored

stored:
  %v = phi i32 [ %e, %load ], [ 7, %fill ]
  %i64 = zext nneg i32 %i to i64
  %f = getelementptr i32, ptr addrspace(3) @tile, i64 %i64
  store i32 %v, ptr addrspace(3) %f, align 4
  %i.next = add nuw nsw i32 %i, 64
  br label %round

read:
  call void @clotho.barrier()
  %ten = mul i64 %y, 10
  %from = add i64 %ten, %x
  %there = add i64 %from, 12
  %g = getelementptr i32, ptr addrspace(3) @tile, i64 %there
  %r = load i32, ptr addrspace(3) %g, align 4
  %id = call i64 @clotho.global_id(i32 0)
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}

; A work-item fills four elements of a column: row y + j, where j goes on by as many as there are rows of work-items.
define spir_kernel void @several_rows(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %w) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %y32 = trunc nuw nsw i64 %y to i32
  br label %round

round:
  %j = phi i32 [ 0, %entry ], [ %j.next, %fill ]
  %more = icmp samesign ult i32 %j, 32
  br i1 %more, label %fill, label %read

fill:
  %row = add nuw nsw i32 %j, %y32
  %start = mul i32 %row, %w
  %start64 = sext i32 %start to i64
  %at = add i64 %start64, %x
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %at
  %e = load i32, ptr addrspace(1) %p, align 4
  %row64 = zext nneg i32 %row to i64
  %f = getelementptr [33 x i32], ptr addrspace(3) @rows, i64 %row64, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  %j.next = add nuw nsw i32 %j, 8
  br label %round

read:
  call void @clotho.barrier()
  %g = getelementptr [33 x i32], ptr addrspace(3) @rows, i64 %x, i64 %y
  %r = load i32, ptr addrspace(3) %g, align 4
  %id = call i64 @clotho.global_id(i32 0)
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}

; What is stored has the work-item's own id in it, which does not follow from the place.
define spir_kernel void @own_id(ptr addrspace(1) %out, ptr addrspace(1) %in) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %x32 = trunc nuw nsw i64 %x to i32
  %y32 = trunc nuw nsw i64 %y to i32
  %before = shl nuw nsw i32 %y32, 3
  %first = add nuw nsw i32 %before, %x32
  br label %round

round:
  %i = phi i32 [ %first, %entry ], [ %i.next, %fill ]
  %more = icmp samesign ult i32 %i, 100
  br i1 %more, label %fill, label %read

fill:
  %v = add i32 %i, %x32
  %i64 = zext nneg i32 %i to i64
  %f = getelementptr i32, ptr addrspace(3) @tile, i64 %i64
  store i32 %v, ptr addrspace(3) %f, align 4
  %i.next = add nuw nsw i32 %i, 64
  br label %round

read:
  call void @clotho.barrier()
  %g = getelementptr i32, ptr addrspace(3) @tile, i64 %x
  %r = load i32, ptr addrspace(3) %g, align 4
  %id = call i64 @clotho.global_id(i32 0)
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}

; Some work-items would read an element that is never filled: 10 * y + x + 30 goes up to 107.
define spir_kernel void @beyond(ptr addrspace(1) %out, ptr addrspace(1) %in) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %x32 = trunc nuw nsw i64 %x to i32
  %y32 = trunc nuw nsw i64 %y to i32
  %before = shl nuw nsw i32 %y32, 3
  %first = add nuw nsw i32 %before, %x32
  br label %round

round:
  %i = phi i32 [ %first, %entry ], [ %i.next, %fill ]
  %more = icmp samesign ult i32 %i, 100
  br i1 %more, label %fill, label %read

fill:
  %i64 = zext nneg i32 %i to i64
  %f = getelementptr i32, ptr addrspace(3) @tile, i64 %i64
  store i32 %i, ptr addrspace(3) %f, align 4
  %i.next = add nuw nsw i32 %i, 64
  br label %round

read:
  call void @clotho.barrier()
  %ten = mul i64 %y, 10
  %from = add i64 %ten, %x
  %there = add i64 %from, 30
  %g = getelementptr i32, ptr addrspace(3) @tile, i64 %there
  %r = load i32, ptr addrspace(3) %g, align 4
  %id = call i64 @clotho.global_id(i32 0)
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}

; A truth value has no sign: the place is x or x + 1.
define spir_kernel void @truth(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %x32 = trunc nuw nsw i64 %x to i32
  %y32 = trunc nuw nsw i64 %y to i32
  %before = shl nuw nsw i32 %y32, 3
  %first = add nuw nsw i32 %before, %x32
  %positive = icmp sgt i32 %n, 0
  %one = zext i1 %positive to i32
  br label %round

round:
  %i = phi i32 [ %first, %entry ], [ %i.next, %fill ]
  %more = icmp samesign ult i32 %i, 100
  br i1 %more, label %fill, label %read

fill:
  %i64 = zext nneg i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %i64
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr i32, ptr addrspace(3) @tile, i64 %i64
  store i32 %e, ptr addrspace(3) %f, align 4
  %i.next = add nuw nsw i32 %i, 64
  br label %round

read:
  call void @clotho.barrier()
  %there = add nuw nsw i32 %x32, %one
  %there64 = zext nneg i32 %there to i64
  %g = getelementptr i32, ptr addrspace(3) @tile, i64 %there64
  %r = load i32, ptr addrspace(3) %g, align 4
  %id = call i64 @clotho.global_id(i32 0)
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}

; What is stored in the second tile has in it what each work-item has read from the first.
define spir_kernel void @second(ptr addrspace(1) %out, ptr addrspace(1) %in) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %x32 = trunc nuw nsw i64 %x to i32
  %y32 = trunc nuw nsw i64 %y to i32
  %before = shl nuw nsw i32 %y32, 3
  %first = add nuw nsw i32 %before, %x32
  %first64 = zext nneg i32 %first to i64
  br label %round

round:
  %i = phi i32 [ %first, %entry ], [ %i.next, %fill ]
  %more = icmp samesign ult i32 %i, 100
  br i1 %more, label %fill, label %next

fill:
  %i64 = zext nneg i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %i64
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr i32, ptr addrspace(3) @tile, i64 %i64
  store i32 %e, ptr addrspace(3) %f, align 4
  %i.next = add nuw nsw i32 %i, 64
  br label %round

next:
  call void @clotho.barrier()
  %g = getelementptr i32, ptr addrspace(3) @tile, i64 %first64
  %v = load i32, ptr addrspace(3) %g, align 4
  br label %round2

round2:
  %j = phi i32 [ %first, %next ], [ %j.next, %fill2 ]
  %more2 = icmp samesign ult i32 %j, 100
  br i1 %more2, label %fill2, label %read

fill2:
  %sum = add i32 %v, %j
  %j64 = zext nneg i32 %j to i64
  %f2 = getelementptr i32, ptr addrspace(3) @tile2, i64 %j64
  store i32 %sum, ptr addrspace(3) %f2, align 4
  %j.next = add nuw nsw i32 %j, 64
  br label %round2

read:
  call void @clotho.barrier()
  %g2 = getelementptr i32, ptr addrspace(3) @tile2, i64 %x
  %r = load i32, ptr addrspace(3) %g2, align 4
  %id = call i64 @clotho.global_id(i32 0)
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}

; A loop that ends by a switch in its header.
define spir_kernel void @switched(ptr addrspace(1) %out, ptr addrspace(1) %in) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %x32 = trunc nuw nsw i64 %x to i32
  br label %round

round:
  %i = phi i32 [ %x32, %entry ], [ %i.next, %fill ]
  switch i32 %i, label %fill [
    i32 64, label %read
    i32 65, label %read
  ]

fill:
  %i64 = zext nneg i32 %i to i64
  %f = getelementptr i32, ptr addrspace(3) @tile, i64 %i64
  store i32 %i, ptr addrspace(3) %f, align 4
  %i.next = add nuw nsw i32 %i, 8
  br label %round

read:
  call void @clotho.barrier()
  %g = getelementptr i32, ptr addrspace(3) @tile, i64 %x
  %r = load i32, ptr addrspace(3) %g, align 4
  %id = call i64 @clotho.global_id(i32 0)
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nofree nosync nounwind speculatable willreturn memory(none) }
attributes #1 = { convergent nounwind }

; CHECK-LABEL: define spir_kernel void @linear.direct(
; CHECK-NOT: addrspace(3)
; CHECK-NOT: rem
; CHECK: %[[ID:.*]] = call i64 @clotho.global_id(i32 0)
; CHECK: %[[U:.*]] = add i32 %{{.*}}, 2
; CHECK: icmp slt i32 %[[U]], %w
; CHECK: %[[Y:.*]] = trunc {{.*}}i64 %{{.*}} to i32
; CHECK: %[[ROW:.*]] = add {{.*}}i32 %[[Y]], 1
; CHECK: %[[START:.*]] = mul i32 %[[ROW]], %w
; CHECK: add i32 %[[START]], %[[U]]
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @several_rows.direct(
; CHECK-NOT: addrspace(3)
; CHECK: %[[X:.*]] = trunc {{.*}}i64 %[[X64:.*]] to i32
; CHECK: mul i32 %w, %[[X]]
; CHECK: ret void
; CHECK-NOT: @own_id.direct(
; CHECK-NOT: @beyond.direct(
; CHECK-LABEL: define spir_kernel void @truth.direct(
; CHECK: %[[ONE:.*]] = zext i1 %{{.*}} to i32
; CHECK: %[[PLACE:.*]] = add {{.*}}i32 %{{.*}}, %[[ONE]]
; CHECK: zext {{.*}}i32 %[[PLACE]] to i64
; CHECK: ret void
; CHECK-NOT: @second.direct(
; CHECK-NOT: @switched.direct(
