; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vote-on-bounds %s | %check

declare i64 @clotho.global_id(i32)
declare i64 @llvm.smin.i64(i64, i64)
declare i32 @llvm.umin.i32(i32, i32)
declare void @clotho.barrier(i32)

; Sub-groups whose lanes all have n rounds run a loop of their own.
; CHECK-LABEL: @least(
; CHECK: [[HAS_ALL:%.*]] = icmp sle i64 %n, %left
; CHECK: [[AGREE:%.*]] = call i1 @clotho.sub_group.agree.none.i1(i1 [[HAS_ALL]])
; CHECK: br i1 [[AGREE]], label %[[COMMON:.*]], label %
; CHECK: icmp slt i64 %d.common, %n
; CHECK: icmp slt i64 %d, %end
; CHECK: exit:
; CHECK: [[SUM:%.*]] = phi i32 [ %sum, %loop ], [ %sum.common, %loop.common ]
; CHECK: store i32 [[SUM]]
define spir_kernel void @least(ptr addrspace(1) %a, ptr addrspace(1) %out, i64 %n, i64 %all) !kernel_arg_addr_space !0 {
entry:
  %i = call i64 @clotho.global_id(i32 0)
  %begin = mul nsw i64 %i, %n
  %left = sub i64 %all, %begin
  %end = call i64 @llvm.smin.i64(i64 %n, i64 %left)
  br label %loop
loop:
  %d = phi i64 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more_sum, %body ]
  %more = icmp slt i64 %d, %end
  br i1 %more, label %body, label %exit
body:
  %k = add i64 %begin, %d
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %value = load i32, ptr addrspace(1) %p
  %more_sum = add i32 %sum, %value
  %next = add i64 %d, 1
  br label %loop
exit:
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %sum, ptr addrspace(1) %q
  ret void
}

; A counter that begins below -n does not wrap around within n rounds.
; CHECK-LABEL: @counter(
; CHECK: %k.next.common = add nuw i32 %k.common, 1
; CHECK: %k.next = add i32 %k, 1
define spir_kernel void @counter(ptr addrspace(1) %a, i32 %n, i32 %all) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  %begin = mul i32 %i, %n
  %last = add i32 %begin, %n
  %negated = sub i32 0, %n
  %fits = icmp ult i32 %begin, %negated
  %is_there = icmp ule i32 %last, %all
  %has_all = and i1 %fits, %is_there
  %left = sub i32 %all, %begin
  %end = select i1 %has_all, i32 %n, i32 %left
  br label %loop
loop:
  %d = phi i32 [ 0, %entry ], [ %d.next, %body ]
  %k = phi i32 [ %begin, %entry ], [ %k.next, %body ]
  %more = icmp ult i32 %d, %end
  br i1 %more, label %body, label %exit
body:
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %k
  store i8 1, ptr addrspace(1) %p
  %k.next = add i32 %k, 1
  %d.next = add i32 %d, 1
  br label %loop
exit:
  ret void
}

; All sub-groups of a work-group come to the same barrier.
; CHECK-LABEL: @waits(
; CHECK-NOT: agree
; CHECK: ret void
define spir_kernel void @waits(ptr addrspace(1) %a, i64 %n, i64 %all) !kernel_arg_addr_space !0 {
entry:
  %i = call i64 @clotho.global_id(i32 0)
  %begin = mul nsw i64 %i, %n
  %left = sub i64 %all, %begin
  %end = call i64 @llvm.smin.i64(i64 %n, i64 %left)
  br label %loop
loop:
  %d = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %d, %end
  br i1 %more, label %body, label %exit
body:
  call void @clotho.barrier(i32 1) #0
  %next = add i64 %d, 1
  br label %loop
exit:
  ret void
}

attributes #0 = { convergent }

!0 = !{i32 1}

; A comparison that is the same in all iterations leaves the loop when it gets its simplified form.
; CHECK-LABEL: @invariant(
; CHECK-NOT: agree
; CHECK: ret void
define spir_kernel void @invariant(ptr addrspace(1) %a, i32 %n, <4 x i32> %v) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %own = load i32, ptr addrspace(1) %p
  %least = call i32 @llvm.umin.i32(i32 %own, i32 %n)
  br label %loop
loop:
  %d = phi i32 [ 0, %entry ], [ %next, %body ]
  %next = add i32 %d, 1
  %more = icmp ult i32 %next, 8
  br i1 %more, label %body, label %exit
body:
  %part = extractelement <4 x i32> %v, i64 0
  %ends = icmp sgt i32 %least, %part
  br i1 %ends, label %exit, label %loop
exit:
  store i32 %d, ptr addrspace(1) %p
  ret void
}

; Simplified form merges exits, and the comparison with the bound into another: what is left of the loop has all three.
; CHECK-LABEL: @merged(
; CHECK-DAG: icmp ult i32 %d, %u
; CHECK-DAG: icmp ult i32 %d, %least
; CHECK-DAG: icmp ne i32 %d, %w
; CHECK: ret void
define spir_kernel void @merged(ptr addrspace(1) %a, ptr addrspace(1) %t, i32 %n, i32 %u, i32 %w) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %q = getelementptr i32, ptr addrspace(1) %t, i64 %id
  %own = load i32, ptr addrspace(1) %q
  %least = call i32 @llvm.umin.i32(i32 %own, i32 %n)
  br label %loop
loop:
  %d = phi i32 [ 0, %entry ], [ %next, %body ]
  %first = icmp ult i32 %d, %u
  br i1 %first, label %second, label %exit
second:
  %more = icmp ult i32 %d, %least
  br i1 %more, label %third, label %exit
third:
  %goes_on = icmp ne i32 %d, %w
  br i1 %goes_on, label %body, label %exit
body:
  %old = load i32, ptr addrspace(1) %p
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) %p
  %next = add i32 %d, 1
  br label %loop
exit:
  ret void
}

; A bound of the second loop is a result of the first, which has two sources once that loop has a copy.
; CHECK-LABEL: @two(
; CHECK: [[SUM:%.*]] = phi i32 [ %s, %loop ], [ %s.common, %loop.common ]
; CHECK: [[HAS_ALL:%.*]] = icmp ule i32 %m, [[SUM]]
; CHECK: call i1 @clotho.sub_group.agree.none.i1(i1 [[HAS_ALL]])
; CHECK: ret void
define spir_kernel void @two(ptr addrspace(1) %a, i32 %n, i32 %m) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %own = load i32, ptr addrspace(1) %p
  %least = call i32 @llvm.umin.i32(i32 %n, i32 %own)
  br label %loop
loop:
  %d = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi i32 [ 0, %entry ], [ %more, %body ]
  %goes_on = icmp ult i32 %d, %least
  br i1 %goes_on, label %body, label %between
body:
  %value = load volatile i32, ptr addrspace(1) %a
  %more = add i32 %s, %value
  %next = add i32 %d, 1
  br label %loop
between:
  %end = call i32 @llvm.umin.i32(i32 %m, i32 %s)
  br label %other
other:
  %e = phi i32 [ 0, %between ], [ %f, %work ]
  %again = icmp ult i32 %e, %end
  br i1 %again, label %work, label %exit
work:
  store volatile i32 %e, ptr addrspace(1) %p
  %f = add i32 %e, 1
  br label %other
exit:
  ret void
}

; A loop that runs more often than n times says nothing about a counter that begins below -n.
; CHECK-LABEL: @longer(
; CHECK: %k.next.common = add i32 %k.common, 1
define spir_kernel void @longer(ptr addrspace(1) %a, i32 %n, i32 %from) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  %begin = load i32, ptr addrspace(1) %p
  %negated = sub i32 0, %n
  %fits = icmp ult i32 %begin, %negated
  %end = select i1 %fits, i32 %n, i32 %begin
  br label %loop
loop:
  %d = phi i32 [ %from, %entry ], [ %d.next, %body ]
  %k = phi i32 [ %begin, %entry ], [ %k.next, %body ]
  %more = icmp slt i32 %d, %end
  br i1 %more, label %body, label %exit
body:
  store volatile i32 %k, ptr addrspace(1) %p
  %k.next = add i32 %k, 1
  %d.next = add i32 %d, 1
  br label %loop
exit:
  ret void
}

; Simplified form makes two loops of one that is continued from two places. Values that leave the outer one have phis.
; CHECK-LABEL: @continued(
; CHECK: call i1 @clotho.sub_group.agree.none.i1
; CHECK: exit:
; CHECK: [[C:%.*]] = phi i32 {{.*}}%c{{.*}}.common
; CHECK: store i32 [[C]]
define spir_kernel void @continued(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  %least = call i32 @llvm.umin.i32(i32 %n, i32 %i)
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %body ], [ %next, %more ]
  %c = phi i32 [ 0, %entry ], [ %c, %body ], [ %c.next, %more ]
  %goes_on = icmp ult i32 %k, %least
  br i1 %goes_on, label %body, label %exit
body:
  %next = add i32 %k, 1
  %a = getelementptr i32, ptr addrspace(1) %q, i32 %k
  %value = load i32, ptr addrspace(1) %a
  %is = icmp eq i32 %value, %m
  br i1 %is, label %loop, label %more
more:
  %c.next = add i32 %c, 3
  br label %loop
exit:
  %r = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 %c, ptr addrspace(1) %r
  ret void
}
