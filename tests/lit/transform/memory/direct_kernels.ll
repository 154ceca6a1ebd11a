; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=direct-kernels %s | %check
; What a work-item reads from a tile of local memory, a second kernel reads where the work-item that fills it would, for
; the local size that fills the tile.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

@square = internal addrspace(3) global [8 x [8 x i32]] undef
@padded = internal addrspace(3) global [8 x [9 x i32]] undef

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.global_id(i32) #0
declare i64 @clotho.local_size(i32) #0
declare void @clotho.barrier() #1

; The kernel itself stays as it was.
; CHECK-LABEL: define spir_kernel void @columns(
; CHECK: load i32, ptr addrspace(3)
define spir_kernel void @columns(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %row = call i64 @clotho.global_id(i32 1)
  br label %round

round:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %partial, %latch ]
  %more = icmp slt i32 %t, %n
  br i1 %more, label %fill, label %end

fill:
  %t64 = zext i32 %t to i64
  %at = mul i64 %row, %t64
  %i = add i64 %at, %col
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  br label %sums

sums:
  %k = phi i64 [ 0, %fill ], [ %k.next, %add ]
  %partial = phi i32 [ %sum, %fill ], [ %added, %add ]
  %in = icmp ult i64 %k, 8
  br i1 %in, label %add, label %latch

add:
  %g = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %k, i64 %x
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %partial, %v
  %k.next = add nuw nsw i64 %k, 1
  br label %sums

latch:
  call void @clotho.barrier()
  %t.next = add nsw i32 %t, 1
  br label %round

end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

; The last column is not filled, but it is not read either; what is filled is as much as there are work-items.
define spir_kernel void @rows(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %size = call i64 @clotho.local_size(i32 0)
  %row = call i64 @clotho.global_id(i32 1)
  br label %round

round:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %partial, %latch ]
  %more = icmp slt i32 %t, %n
  br i1 %more, label %fill, label %end

fill:
  %t64 = zext i32 %t to i64
  %at = mul i64 %row, %t64
  %i = add i64 %at, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [9 x i32]], ptr addrspace(3) @padded, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  br label %sums

sums:
  %k = phi i64 [ 0, %fill ], [ %k.next, %add ]
  %partial = phi i32 [ %sum, %fill ], [ %added, %add ]
  %in = icmp ult i64 %k, %size
  br i1 %in, label %add, label %latch

add:
  %g = getelementptr [8 x [9 x i32]], ptr addrspace(3) @padded, i64 0, i64 %y, i64 %k
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %partial, %v
  %k.next = add nuw nsw i64 %k, 1
  br label %sums

latch:
  call void @clotho.barrier()
  %t.next = add nsw i32 %t, 1
  br label %round

end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

; These tiles stay: read where no work-item has filled them, or with gathers; from memory that is also written; filled by
; some work-items only, twice, or from volatile memory; indexed by lane numbers cut to a bit; with a barrier after a store
; to global memory.
define spir_kernel void @beyond(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %row = call i64 @clotho.global_id(i32 1)
  br label %round

round:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %partial, %latch ]
  %more = icmp slt i32 %t, %n
  br i1 %more, label %fill, label %end

fill:
  %t64 = zext i32 %t to i64
  %at = mul i64 %row, %t64
  %i = add i64 %at, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [9 x i32]], ptr addrspace(3) @padded, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  br label %sums

sums:
  %k = phi i64 [ 0, %fill ], [ %k.next, %add ]
  %partial = phi i32 [ %sum, %fill ], [ %added, %add ]
  %in = icmp ult i64 %k, 9
  br i1 %in, label %add, label %latch

add:
  %g = getelementptr [8 x [9 x i32]], ptr addrspace(3) @padded, i64 0, i64 %y, i64 %k
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %partial, %v
  %k.next = add nuw nsw i64 %k, 1
  br label %sums

latch:
  call void @clotho.barrier()
  %t.next = add nsw i32 %t, 1
  br label %round

end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @gathers(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %row = call i64 @clotho.global_id(i32 1)
  br label %round

round:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %partial, %latch ]
  %more = icmp slt i32 %t, %n
  br i1 %more, label %fill, label %end

fill:
  %t64 = zext i32 %t to i64
  %at = mul i64 %row, %t64
  %i = add i64 %at, %col
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  br label %sums

sums:
  %k = phi i64 [ 0, %fill ], [ %k.next, %add ]
  %partial = phi i32 [ %sum, %fill ], [ %added, %add ]
  %in = icmp ult i64 %k, 8
  br i1 %in, label %add, label %latch

add:
  %g = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %x, i64 %k
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %partial, %v
  %k.next = add nuw nsw i64 %k, 1
  br label %sums

latch:
  call void @clotho.barrier()
  %t.next = add nsw i32 %t, 1
  br label %round

end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @narrowed(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %row = call i64 @clotho.global_id(i32 1)
  br label %round

round:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %partial, %latch ]
  %more = icmp slt i32 %t, %n
  br i1 %more, label %fill, label %end

fill:
  %t64 = zext i32 %t to i64
  %at = mul i64 %row, %t64
  %i = add i64 %at, %col
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  br label %sums

sums:
  %k = phi i64 [ 0, %fill ], [ %k.next, %add ]
  %partial = phi i32 [ %sum, %fill ], [ %added, %add ]
  %in = icmp ult i64 %k, 8
  br i1 %in, label %add, label %latch

add:
  %bit = trunc i64 %x to i1
  %none = sext i1 %bit to i64
  %g = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %k, i64 %none
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %partial, %v
  %k.next = add nuw nsw i64 %k, 1
  br label %sums

latch:
  call void @clotho.barrier()
  %t.next = add nsw i32 %t, 1
  br label %round

end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @written_before(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %row = call i64 @clotho.global_id(i32 1)
  %before = getelementptr i32, ptr addrspace(1) %c, i64 %row
  store i32 0, ptr addrspace(1) %before, align 4
  br label %round

round:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %partial, %latch ]
  %more = icmp slt i32 %t, %n
  br i1 %more, label %fill, label %end

fill:
  %t64 = zext i32 %t to i64
  %at = mul i64 %row, %t64
  %i = add i64 %at, %col
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  br label %sums

sums:
  %k = phi i64 [ 0, %fill ], [ %k.next, %add ]
  %partial = phi i32 [ %sum, %fill ], [ %added, %add ]
  %in = icmp ult i64 %k, 8
  br i1 %in, label %add, label %latch

add:
  %g = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %k, i64 %x
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %partial, %v
  %k.next = add nuw nsw i64 %k, 1
  br label %sums

latch:
  call void @clotho.barrier()
  %t.next = add nsw i32 %t, 1
  br label %round

end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @same_memory(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %row = call i64 @clotho.global_id(i32 1)
  br label %round

round:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %partial, %latch ]
  %more = icmp slt i32 %t, %n
  br i1 %more, label %fill, label %end

fill:
  %t64 = zext i32 %t to i64
  %at = mul i64 %row, %t64
  %i = add i64 %at, %col
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  br label %sums

sums:
  %k = phi i64 [ 0, %fill ], [ %k.next, %add ]
  %partial = phi i32 [ %sum, %fill ], [ %added, %add ]
  %in = icmp ult i64 %k, 8
  br i1 %in, label %add, label %latch

add:
  %g = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %k, i64 %x
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %partial, %v
  %k.next = add nuw nsw i64 %k, 1
  br label %sums

latch:
  call void @clotho.barrier()
  %t.next = add nsw i32 %t, 1
  br label %round

end:
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @some_fill(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %row = call i64 @clotho.global_id(i32 1)
  br label %round

round:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %partial, %latch ]
  %more = icmp slt i32 %t, %n
  br i1 %more, label %fill, label %end

fill:
  %t64 = zext i32 %t to i64
  %at = mul i64 %row, %t64
  %i = add i64 %at, %col
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %e = load i32, ptr addrspace(1) %p, align 4
  %odd = trunc i64 %x to i1
  br i1 %odd, label %filling, label %filled

filling:
  %f = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  br label %filled

filled:
  call void @clotho.barrier()
  br label %sums

sums:
  %k = phi i64 [ 0, %filled ], [ %k.next, %add ]
  %partial = phi i32 [ %sum, %filled ], [ %added, %add ]
  %in = icmp ult i64 %k, 8
  br i1 %in, label %add, label %latch

add:
  %g = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %k, i64 %x
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %partial, %v
  %k.next = add nuw nsw i64 %k, 1
  br label %sums

latch:
  call void @clotho.barrier()
  %t.next = add nsw i32 %t, 1
  br label %round

end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @twice(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %row = call i64 @clotho.global_id(i32 1)
  br label %round

round:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %partial, %latch ]
  %more = icmp slt i32 %t, %n
  br i1 %more, label %fill, label %end

fill:
  %t64 = zext i32 %t to i64
  %at = mul i64 %row, %t64
  %i = add i64 %at, %col
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  store i32 7, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  br label %sums

sums:
  %k = phi i64 [ 0, %fill ], [ %k.next, %add ]
  %partial = phi i32 [ %sum, %fill ], [ %added, %add ]
  %in = icmp ult i64 %k, 8
  br i1 %in, label %add, label %latch

add:
  %g = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %k, i64 %x
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %partial, %v
  %k.next = add nuw nsw i64 %k, 1
  br label %sums

latch:
  call void @clotho.barrier()
  %t.next = add nsw i32 %t, 1
  br label %round

end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @is_volatile(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %row = call i64 @clotho.global_id(i32 1)
  br label %round

round:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %partial, %latch ]
  %more = icmp slt i32 %t, %n
  br i1 %more, label %fill, label %end

fill:
  %t64 = zext i32 %t to i64
  %at = mul i64 %row, %t64
  %i = add i64 %at, %col
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %e = load volatile i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  br label %sums

sums:
  %k = phi i64 [ 0, %fill ], [ %k.next, %add ]
  %partial = phi i32 [ %sum, %fill ], [ %added, %add ]
  %in = icmp ult i64 %k, 8
  br i1 %in, label %add, label %latch

add:
  %g = getelementptr [8 x [8 x i32]], ptr addrspace(3) @square, i64 0, i64 %k, i64 %x
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %partial, %v
  %k.next = add nuw nsw i64 %k, 1
  br label %sums

latch:
  call void @clotho.barrier()
  %t.next = add nsw i32 %t, 1
  br label %round

end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @columns.direct(
; CHECK-SAME: !clotho.facts ![[DIRECT:[0-9]+]]
; CHECK-NOT: @clotho.barrier
; CHECK-NOT: addrspace(3)
; CHECK: add:
; CHECK: %[[BASE:.*]] = call i64 @clotho.group_base(i32 1)
; CHECK: %[[ROW:.*]] = add nuw i64 %[[BASE]], %k
; CHECK: %[[AT:.*]] = mul i64 %[[ROW]], %t64
; CHECK: %[[I:.*]] = add i64 %[[AT]], %col
; CHECK: %[[P:.*]] = getelementptr i32, ptr addrspace(1) %a, i64 %[[I]]
; CHECK: load i32, ptr addrspace(1) %[[P]]
; CHECK-LABEL: define spir_kernel void @rows.direct(
; CHECK-NOT: @clotho.local_size
; CHECK: icmp ult i64 %k, 8
; CHECK: %[[I:.*]] = add i64 %{{.*}}, %k
; CHECK: %[[P:.*]] = getelementptr i32, ptr addrspace(1) %a, i64 %[[I]]
; CHECK: load i32, ptr addrspace(1) %[[P]]
; CHECK-NOT: .direct(
; CHECK: ![[DIRECT]] = !{!"variant", !"direct", {{.*}}!"direct-size", !"8x8x1"

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
