; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vote-on-guards %s | %check

declare i64 @clotho.global_id(i32)

; Sub-groups whose lanes are all below the limit in the first and in the last iteration run a loop of their own.
; CHECK-LABEL: @below(
; CHECK: [[FIRST:%.*]] = icmp slt i32 %begin, %limit
; CHECK: [[LAST:%.*]] = icmp slt i32 {{%.*}}, %limit
; CHECK: [[BOTH:%.*]] = and i1 [[FIRST]], [[LAST]]
; CHECK: [[FROZEN:%.*]] = freeze i1 [[BOTH]]
; CHECK: [[AGREE:%.*]] = call i1 @clotho.sub_group.agree.none.i1(i1 [[FROZEN]])
; CHECK: br i1 [[AGREE]]
; CHECK: loop.common:
; CHECK: br i1 true, label %then.common, label %latch.common
; CHECK: loop:
; CHECK: br i1 %within, label %then, label %latch
define spir_kernel void @below(ptr addrspace(1) %a, i32 %n, i32 %limit) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  %begin = mul nsw i32 %i, %n
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %latch ]
  %k = add nsw i32 %begin, %j
  %within = icmp slt i32 %k, %limit
  br i1 %within, label %then, label %latch
then:
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %k
  store i8 1, ptr addrspace(1) %p
  br label %latch
latch:
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; As unsigned numbers, those between -1 and 0 wrap around.
; CHECK-LABEL: @range(
; CHECK: icmp ult i32 [[FIRST:%.*]], 100
; CHECK: icmp ult i32 [[LAST:%.*]], 100
; CHECK: [[SIGNS:%.*]] = xor i32 [[FIRST]], [[LAST]]
; CHECK: icmp sge i32 [[SIGNS]], 0
; CHECK: call i1 @clotho.sub_group.agree
define spir_kernel void @range(ptr addrspace(1) %a, i32 %n) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %latch ]
  %k = add nsw i32 %i, %j
  %within = icmp ult i32 %k, 100
  br i1 %within, label %then, label %latch
then:
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %k
  store i8 1, ptr addrspace(1) %p
  br label %latch
latch:
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; What may wrap around is not within the limit whenever its ends are.
; CHECK-LABEL: @wraps(
; CHECK-NOT: agree
; CHECK: ret void
define spir_kernel void @wraps(ptr addrspace(1) %a, i32 %n, i32 %limit) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %latch ]
  %k = add i32 %i, %j
  %within = icmp ult i32 %k, %limit
  br i1 %within, label %then, label %latch
then:
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %k
  store i8 1, ptr addrspace(1) %p
  br label %latch
latch:
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

!0 = !{i32 1}
