; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=align-strided-loops %s | %check
; for (i = get_global_id(0); i < n; i += get_global_size(0)): the work-group goes through it round by round.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_base(i32) #0
declare i64 @clotho.global_id(i32) #0
declare i64 @clotho.global_size(i32) #0
declare void @clotho.barrier()
declare void @clotho.yield()

; CHECK-LABEL: @sum(
; Eight at once first.
; CHECK: %[[BASE:.*]] = call i64 @clotho.group_base(i32 0)
; CHECK: %[[START:.*]] = trunc i64 %[[BASE]] to i32
; CHECK: iterations:
; CHECK-NEXT: %[[GROUP:.*]] = phi i32 [ %[[START]], %entry ], [ %{{.*}}, %iterations.end ]
; CHECK-NEXT: %[[SO_FAR:.*]] = phi float [ 0.000000e+00, %entry ], [ %added.full, %iterations.end ]
; CHECK: br i1 %full, label %head.full, label %[[ONE:.*]]
; CHECK: iterations.end:
; CHECK-NEXT: call void @clotho.barrier(){{.*}}, !clotho.interleave
; CHECK-NEXT: br label %iterations
; Then one at a time, without a change of work-groups.
; CHECK: [[ONE]]:
; CHECK-NEXT: %[[NEXT:.*]] = phi i32 [ %[[GROUP]], %iterations ],
; CHECK-NEXT: %[[SUM:.*]] = phi float [ %[[SO_FAR]], %iterations ],
; CHECK: call void @clotho.barrier()
; CHECK-NOT: !clotho.interleave
; CHECK-NEXT: br label %[[ONE]]
; The rest as it was.
; CHECK: rest:
; CHECK-NEXT: %[[REACHED:.*]] = add i32 %[[NEXT]],
; CHECK: head:
; CHECK: %i = phi i32 [ %[[REACHED]], %rest ], [ %next, %body ]
; CHECK: %total = phi float [ %[[SUM]], %rest ], [ %added, %body ]
; CHECK: br i1 %more, label %body, label %end
; CHECK: head.full:
; CHECK: %[[INDEX:.*]] = add nsw i32
; CHECK-NEXT: br label %body.full
; CHECK: body.full:
; CHECK: sext i32 %[[INDEX]] to i64
; Work-groups take turns, so that hardware prefetches.
; CHECK-NOT: call void @llvm.prefetch
; CHECK: icmp ult i32 %{{.*}}, 8
; CHECK-NEXT: br i1 %{{.*}}, label %head.full, label %iterations.end
define spir_kernel void @sum(ptr addrspace(1) %in, ptr addrspace(3) %out, i32 %n) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %id = call i64 @clotho.global_id(i32 0)
  %start = trunc i64 %id to i32
  br label %head
head:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %total = phi float [ 0.0, %entry ], [ %added, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %index = sext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %index
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %total, %v
  %size = call i64 @clotho.global_size(i32 0)
  %step = trunc i64 %size to i32
  %next = add i32 %i, %step
  br label %head
end:
  %q = getelementptr float, ptr addrspace(3) %out, i64 %lid
  store float %total, ptr addrspace(3) %q
  call void @clotho.barrier()
  ret void
}

; Local memory that is in use keeps work-groups from taking turns: what later rounds read is asked for.
; CHECK-LABEL: @counted(
; CHECK: body.full:
; CHECK: call void @llvm.prefetch.p1(
; CHECK: store i32 1, ptr addrspace(3)
; CHECK: iterations.end
define spir_kernel void @counted(ptr addrspace(1) %in, ptr addrspace(3) %seen, i32 %n) {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %start = trunc i64 %id to i32
  br label %head
head:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %index = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %index
  %v = load i32, ptr addrspace(1) %p
  %place = getelementptr i32, ptr addrspace(3) %seen, i32 %v
  store i32 1, ptr addrspace(3) %place
  %size = call i64 @clotho.global_size(i32 0)
  %step = trunc i64 %size to i32
  %next = add i32 %i, %step
  br label %head
end:
  call void @clotho.barrier()
  ret void
}

; Not all work-items come to the loop, so none may wait in it.
; CHECK-LABEL: @early(
; CHECK-NOT: round
; CHECK-LABEL: }
define spir_kernel void @early(ptr addrspace(1) %in, i32 %n) {
entry:
  %base = call i64 @clotho.group_base(i32 0)
  %lid = call i64 @clotho.local_id(i32 0)
  %id = add nuw i64 %base, %lid
  %start = trunc i64 %id to i32
  call void @clotho.barrier()
  %some = icmp ult i64 %lid, 3
  br i1 %some, label %before, label %end
before:
  br label %head
head:
  %i = phi i32 [ %start, %before ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %index = sext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %index
  store float 1.0, ptr addrspace(1) %p
  %size = call i64 @clotho.global_size(i32 0)
  %step = trunc i64 %size to i32
  %next = add i32 %i, %step
  br label %head
end:
  ret void
}

; Work-groups change places in no loop if they cannot in all, so each asks in advance.
; CHECK-LABEL: @twice(
; CHECK-COUNT-2: call void @llvm.prefetch
; CHECK-LABEL: }
define spir_kernel void @twice(ptr addrspace(1) %in, ptr addrspace(3) %seen, i32 %n) {
entry:
  %base = call i64 @clotho.group_base(i32 0)
  %lid = call i64 @clotho.local_id(i32 0)
  %id = add nuw i64 %base, %lid
  %start = trunc i64 %id to i32
  br label %first
first:
  br label %head1
head1:
  %i1 = phi i32 [ %start, %first ], [ %next1, %body1 ]
  %more1 = icmp slt i32 %i1, %n
  br i1 %more1, label %body1, label %between
body1:
  %index1 = sext i32 %i1 to i64
  %p1 = getelementptr float, ptr addrspace(1) %in, i64 %index1
  %v1 = load float, ptr addrspace(1) %p1
  %w1 = fmul float %v1, %v1
  store float %w1, ptr addrspace(1) %p1
  %size1 = call i64 @clotho.global_size(i32 0)
  %step1 = trunc i64 %size1 to i32
  %next1 = add i32 %i1, %step1
  br label %head1
between:
  %place = getelementptr i32, ptr addrspace(3) %seen, i64 %lid
  store i32 1, ptr addrspace(3) %place
  call void @clotho.barrier()
  br label %second
second:
  br label %head2
head2:
  %i2 = phi i32 [ %start, %second ], [ %next2, %body2 ]
  %more2 = icmp slt i32 %i2, %n
  br i1 %more2, label %body2, label %end
body2:
  %index2 = sext i32 %i2 to i64
  %p2 = getelementptr float, ptr addrspace(1) %in, i64 %index2
  %v2 = load float, ptr addrspace(1) %p2
  %w2 = fmul float %v2, %v2
  store float %w2, ptr addrspace(1) %p2
  %size2 = call i64 @clotho.global_size(i32 0)
  %step2 = trunc i64 %size2 to i32
  %next2 = add i32 %i2, %step2
  br label %head2
end:
  call void @clotho.barrier()
  ret void
}

; In a loop that all work-items go through equally often, which ends work-groups' turns. The step is the size that the
; kernel requires.
; CHECK-LABEL: @in_rows(
; CHECK: iterations:
; CHECK: br i1 %full, label %head.full, label %iterations
; CHECK: iterations.end:
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NOT: !clotho.interleave
; CHECK: head.full:
define spir_kernel void @in_rows(ptr addrspace(1) %in, ptr addrspace(3) %out, i32 %n) !reqd_work_group_size !0 {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %start = trunc i64 %lid to i32
  br label %row
row:
  %r = phi i32 [ 0, %entry ], [ %after, %end ]
  br label %head
head:
  %i = phi i32 [ %start, %row ], [ %next, %body ]
  %total = phi float [ 0.0, %row ], [ %added, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %at = add i32 %i, %r
  %index = sext i32 %at to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %index
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %total, %v
  %next = add nsw i32 %i, 64
  br label %head
end:
  %q = getelementptr float, ptr addrspace(3) %out, i64 %lid
  store float %total, ptr addrspace(3) %q
  call void @clotho.barrier()
  %after = add i32 %r, %n
  %again = icmp slt i32 %after, 1000
  br i1 %again, label %row, label %done
done:
  ret void
}

; Work-items have rounds of their own.
; CHECK-LABEL: @in_own_rows(
; CHECK-NOT: iterations
define spir_kernel void @in_own_rows(ptr addrspace(1) %in, ptr addrspace(3) %out, i32 %n) !reqd_work_group_size !0 {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %start = trunc i64 %lid to i32
  br label %row
row:
  %r = phi i32 [ 0, %entry ], [ %after, %end ]
  br label %head
head:
  %i = phi i32 [ %start, %row ], [ %next, %body ]
  %total = phi float [ 0.0, %row ], [ %added, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %at = add i32 %i, %r
  %index = sext i32 %at to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %index
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %total, %v
  %next = add nsw i32 %i, 64
  br label %head
end:
  %q = getelementptr float, ptr addrspace(3) %out, i64 %lid
  store float %total, ptr addrspace(3) %q
  %after = add i32 %r, 1
  %again = icmp slt i32 %after, %start
  br i1 %again, label %row, label %done
done:
  call void @clotho.barrier()
  ret void
}

; Some work-items leave the outer loop, though what they ask there is the same for all.
; CHECK-LABEL: @left_by_some(
; CHECK-NOT: iterations
define spir_kernel void @left_by_some(ptr addrspace(1) %in, ptr addrspace(3) %out, i32 %n) !reqd_work_group_size !0 {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %start = trunc i64 %lid to i32
  br label %row
row:
  %r = phi i32 [ 0, %entry ], [ %after, %next_row ]
  br label %head
head:
  %i = phi i32 [ %start, %row ], [ %next, %body ]
  %total = phi float [ 0.0, %row ], [ %added, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %at = add i32 %i, %r
  %index = sext i32 %at to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %index
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %total, %v
  %next = add nsw i32 %i, 64
  br label %head
end:
  %q = getelementptr float, ptr addrspace(3) %out, i64 %lid
  store float %total, ptr addrspace(3) %q
  %is_first = icmp slt i32 %start, 5
  br i1 %is_first, label %ask, label %next_row
ask:
  %is_last = icmp eq i32 %r, %n
  br i1 %is_last, label %done, label %next_row
next_row:
  %after = add i32 %r, 1
  %again = icmp slt i32 %after, 1000
  br i1 %again, label %row, label %done
done:
  call void @clotho.barrier()
  ret void
}

; Barriers are put into kernels that have none, too, where groups are known to be no small ones.
; CHECK-LABEL: @of_128(
; CHECK: iterations.end:
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-LABEL: }
define spir_kernel void @of_128(ptr addrspace(1) %out, i32 %n) !reqd_work_group_size !1 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %start = trunc i64 %id to i32
  br label %head
head:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %index = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %index
  store i32 %i, ptr addrspace(1) %p
  %size = call i64 @clotho.global_size(i32 0)
  %step = trunc i64 %size to i32
  %next = add i32 %i, %step
  br label %head
end:
  ret void
}

; A kernel whose local size is not known asks for a version for it.
; CHECK-LABEL: @of_any(
; CHECK-SAME: !clotho.facts ![[FACTS:[0-9]+]]
; CHECK-NOT: barrier
; CHECK-LABEL: }
define spir_kernel void @of_any(ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %start = trunc i64 %id to i32
  br label %head
head:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %index = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %index
  store i32 %i, ptr addrspace(1) %p
  %size = call i64 @clotho.global_size(i32 0)
  %step = trunc i64 %size to i32
  %next = add i32 %i, %step
  br label %head
end:
  ret void
}

; CHECK-LABEL: @of_32(
; CHECK-NOT: barrier
; CHECK-LABEL: }
define spir_kernel void @of_32(ptr addrspace(1) %out, i32 %n) !reqd_work_group_size !2 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %start = trunc i64 %id to i32
  br label %head
head:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %index = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %index
  store i32 %i, ptr addrspace(1) %p
  %size = call i64 @clotho.global_size(i32 0)
  %step = trunc i64 %size to i32
  %next = add i32 %i, %step
  br label %head
end:
  ret void
}

; Private arrays would be kept for all work-items of a group.
; CHECK-LABEL: @with_array(
; CHECK-NOT: barrier
; CHECK-LABEL: }
define spir_kernel void @with_array(ptr addrspace(1) %out, i32 %n) !reqd_work_group_size !1 {
entry:
  %array = alloca [100 x i32]
  %id = call i64 @clotho.global_id(i32 0)
  %start = trunc i64 %id to i32
  br label %head
head:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %index = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %index
  store i32 %i, ptr addrspace(1) %p
  %element = getelementptr [100 x i32], ptr %array, i32 0, i32 %i
  store i32 %i, ptr %element
  %size = call i64 @clotho.global_size(i32 0)
  %step = trunc i64 %size to i32
  %next = add i32 %i, %step
  br label %head
end:
  ret void
}

; Some work-items may wait for others to come further than that.
; CHECK-LABEL: @waits(
; CHECK-NOT: barrier
; CHECK-LABEL: }
define spir_kernel void @waits(ptr addrspace(1) %out, i32 %n) !reqd_work_group_size !1 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %start = trunc i64 %id to i32
  br label %head
head:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %index = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %index
  store i32 %i, ptr addrspace(1) %p
  %size = call i64 @clotho.global_size(i32 0)
  %step = trunc i64 %size to i32
  %next = add i32 %i, %step
  br label %head
end:
  call void @clotho.yield()
  ret void
}

; CHECK: ![[FACTS]] = !{!"wants-local-size", i1 true}

!0 = !{i32 64, i32 1, i32 1}
!1 = !{i32 128, i32 1, i32 1}
!2 = !{i32 32, i32 1, i32 1}
attributes #0 = { nounwind speculatable willreturn memory(none) }
