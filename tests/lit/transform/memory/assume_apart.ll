; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=assume-apart %s | %check
; RUN: %opt "--passes=assume-apart,function(loop-mssa(licm))" %s | %check --check-prefix=LICM
; Kernels with a loop that keeps a sum in a buffer, or with neighbours that others' accesses part, take their arguments
; for memory of their own; launches of which that does not hold have the exact variant.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

@found = addrspace(1) global i32 0
@table = internal addrspace(2) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]

declare i64 @clotho.global_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: define spir_kernel void @sum(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, i32 %n)
; CHECK-SAME: !clotho.facts ![[ASSUMES:[0-9]+]]
; LICM-LABEL: define spir_kernel void @sum(
; LICM: round:
; LICM-NOT: store
; LICM: end:
; LICM: store
define spir_kernel void @sum(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  %i = call i64 @clotho.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %i
  br label %round

round:
  %k = phi i32 [ 0, %entry ], [ %k.next, %round ]
  %k.wide = zext nneg i32 %k to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %k.wide
  %x = load i32, ptr addrspace(1) %q
  %s = load i32, ptr addrspace(1) %p
  %t = add i32 %s, %x
  store i32 %t, ptr addrspace(1) %p
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %round, label %end

end:
  ret void
}

; Each round stores far from the one before.
; CHECK-LABEL: define spir_kernel void @copy(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
define spir_kernel void @copy(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  br label %round

round:
  %k = phi i32 [ 0, %entry ], [ %k.next, %round ]
  %k.wide = zext nneg i32 %k to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %k.wide
  %p = getelementptr inbounds [16 x i32], ptr addrspace(1) %c, i64 %k.wide
  %x = load i32, ptr addrspace(1) %q
  store i32 %x, ptr addrspace(1) %p
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %round, label %end

end:
  ret void
}

; Each of a few rounds stores beside the one before: unrolled, all could be one.
; CHECK-LABEL: define spir_kernel void @along(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, i32 %n)
define spir_kernel void @along(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  %i = call i64 @clotho.global_id(i32 0)
  %i.int = trunc i64 %i to i32
  %first = mul nsw i32 %i.int, %n
  br label %round

round:
  %k = phi i32 [ 0, %entry ], [ %k.next, %round ]
  %at = add nsw i32 %first, %k
  %at.wide = sext i32 %at to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %at.wide
  %p = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %at.wide
  %x = load i32, ptr addrspace(1) %q
  store i32 %x, ptr addrspace(1) %p
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, 4
  br i1 %more, label %round, label %end

end:
  ret void
}

; Or loads so, and stores elsewhere.
; CHECK-LABEL: define spir_kernel void @loads_along(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, i64 %n)
define spir_kernel void @loads_along(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) {
entry:
  %i = call i64 @clotho.global_id(i32 0)
  br label %round

round:
  %k = phi i64 [ 0, %entry ], [ %k.next, %round ]
  %q = getelementptr inbounds [3 x i32], ptr addrspace(1) %a, i64 %i, i64 %k
  %x = load i32, ptr addrspace(1) %q
  %plane = mul i64 %k, %n
  %to = add i64 %plane, %i
  %p = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %to
  store i32 %x, ptr addrspace(1) %p
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp slt i64 %k.next, 3
  br i1 %more, label %round, label %end

end:
  ret void
}

; The trip count is unknown, so the loop is not unrolled.
; CHECK-LABEL: define spir_kernel void @unknown_rounds(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
define spir_kernel void @unknown_rounds(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  %i = call i64 @clotho.global_id(i32 0)
  %i.int = trunc i64 %i to i32
  %first = mul nsw i32 %i.int, %n
  br label %round

round:
  %k = phi i32 [ 0, %entry ], [ %k.next, %round ]
  %at = add nsw i32 %first, %k
  %at.wide = sext i32 %at to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %at.wide
  %p = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %at.wide
  %x = load i32, ptr addrspace(1) %q
  store i32 %x, ptr addrspace(1) %p
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %round, label %end

end:
  ret void
}

; The program says so itself.
; CHECK-LABEL: define spir_kernel void @said(ptr addrspace(1) noalias %a, ptr addrspace(1) %c, i32 %n) {
define spir_kernel void @said(ptr addrspace(1) noalias %a, ptr addrspace(1) %c, i32 %n) {
entry:
  %i = call i64 @clotho.global_id(i32 0)
  %i.int = trunc i64 %i to i32
  %first = mul nsw i32 %i.int, %n
  br label %round

round:
  %k = phi i32 [ 0, %entry ], [ %k.next, %round ]
  %at = add nsw i32 %first, %k
  %at.wide = sext i32 %at to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %at.wide
  %p = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %at.wide
  %x = load i32, ptr addrspace(1) %q
  store i32 %x, ptr addrspace(1) %p
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, 4
  br i1 %more, label %round, label %end

end:
  ret void
}

; A load is between two stores that could be one.
; CHECK-LABEL: define spir_kernel void @between(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c)
define spir_kernel void @between(ptr addrspace(1) %a, ptr addrspace(1) %c) {
  %i = call i64 @clotho.global_id(i32 0)
  %q = getelementptr inbounds [2 x i32], ptr addrspace(1) %a, i64 %i
  %p = getelementptr inbounds [2 x i32], ptr addrspace(1) %c, i64 %i
  %x = load i32, ptr addrspace(1) %q
  store i32 %x, ptr addrspace(1) %p
  %q.1 = getelementptr inbounds i8, ptr addrspace(1) %q, i64 4
  %p.1 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 4
  %y = load i32, ptr addrspace(1) %q.1
  store i32 %y, ptr addrspace(1) %p.1
  ret void
}

; A load before all stores needs no assumption.
; CHECK-LABEL: define spir_kernel void @before(ptr addrspace(1) %a, ptr addrspace(1) %c) {
define spir_kernel void @before(ptr addrspace(1) %a, ptr addrspace(1) %c) {
  %i = call i64 @clotho.global_id(i32 0)
  %q = getelementptr inbounds [2 x i32], ptr addrspace(1) %a, i64 %i
  %p = getelementptr inbounds [2 x i32], ptr addrspace(1) %c, i64 %i
  %x = load i32, ptr addrspace(1) %q
  %q.1 = getelementptr inbounds i8, ptr addrspace(1) %q, i64 4
  %p.1 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 4
  %y = load i32, ptr addrspace(1) %q.1
  store i32 %x, ptr addrspace(1) %p
  store i32 %y, ptr addrspace(1) %p.1
  ret void
}

; Nothing but the sum is in a buffer: it can be in a register as it is.
; CHECK-LABEL: define spir_kernel void @alone(ptr addrspace(1) %c, i32 %n) {
define spir_kernel void @alone(ptr addrspace(1) %c, i32 %n) {
entry:
  br label %round

round:
  %k = phi i32 [ 0, %entry ], [ %k.next, %round ]
  %k.wide = zext i32 %k to i64
  %q = getelementptr inbounds [4 x i32], ptr addrspace(2) @table, i64 0, i64 %k.wide
  %x = load i32, ptr addrspace(2) %q
  %s = load i32, ptr addrspace(1) %c
  %t = add i32 %s, %x
  store i32 %t, ptr addrspace(1) %c
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %round, label %end

end:
  ret void
}

; What another pointer leads to may be anywhere.
; CHECK-LABEL: define spir_kernel void @through(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
define spir_kernel void @through(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  %b = load ptr addrspace(1), ptr addrspace(1) %a
  br label %round

round:
  %k = phi i32 [ 0, %entry ], [ %k.next, %round ]
  %x = load i32, ptr addrspace(1) %b
  %s = load i32, ptr addrspace(1) %c
  %t = add i32 %s, %x
  store i32 %t, ptr addrspace(1) %c
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %round, label %end

end:
  ret void
}

; A variable of the program may be what an argument points to.
; CHECK-LABEL: define spir_kernel void @variable(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
define spir_kernel void @variable(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  br label %round

round:
  %k = phi i32 [ 0, %entry ], [ %k.next, %round ]
  %x = load i32, ptr addrspace(1) %a
  %y = load i32, ptr addrspace(1) @found
  %z = add i32 %x, %y
  %s = load i32, ptr addrspace(1) %c
  %t = add i32 %s, %z
  store i32 %t, ptr addrspace(1) %c
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %round, label %end

end:
  ret void
}

; Other work-items look at the sum after each round.
; CHECK-LABEL: define spir_kernel void @waits(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
define spir_kernel void @waits(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  br label %round

round:
  %k = phi i32 [ 0, %entry ], [ %k.next, %round ]
  %x = load i32, ptr addrspace(1) %a
  %s = load i32, ptr addrspace(1) %c
  %t = add i32 %s, %x
  store i32 %t, ptr addrspace(1) %c
  call void @clotho.barrier()
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %round, label %end

end:
  ret void
}

; Behind a barrier is what other work-items have stored.
; CHECK-LABEL: define spir_kernel void @sum_and_barrier(ptr addrspace(1) noalias %a, ptr addrspace(1) "clotho-apart" %c, i32 %n)
define spir_kernel void @sum_and_barrier(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  %i = call i64 @clotho.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %i
  br label %round

round:
  %k = phi i32 [ 0, %entry ], [ %k.next, %round ]
  %k.wide = zext nneg i32 %k to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %k.wide
  %x = load i32, ptr addrspace(1) %q
  %s = load i32, ptr addrspace(1) %p
  %t = add i32 %s, %x
  store i32 %t, ptr addrspace(1) %p
  %k.next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %round, label %end

end:
  call void @clotho.barrier()
  store i32 1, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @sum.exact(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n)
; CHECK-SAME: !clotho.facts ![[EXACT:[0-9]+]]
; LICM-LABEL: define spir_kernel void @sum.exact(
; LICM: round:
; LICM: store
; LICM: end:
; LICM-NOT: store
; LICM-LABEL: define spir_kernel void @along.exact(
; CHECK-DAG: ![[ASSUMES]] = !{!"arguments-apart", i1 true}
; CHECK-DAG: ![[EXACT]] = !{!"variant", !"exact", !"seldom", i1 true}

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
