; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=uniform-bounds %s | %check

declare i64 @clotho.global_id(i32)

; The bound less the counter's beginning is n.
; CHECK-LABEL: @product(
; CHECK: [[END:%.*]] = sext i32 %n to i64
; CHECK: loop:
; CHECK: [[DISTANCE:%.*]] = phi i64 [ 0, %entry ], [ [[NEXT:%.*]], %body ]
; CHECK: [[MORE:%.*]] = icmp slt i64 [[DISTANCE]], [[END]]
; CHECK: br i1 [[MORE]], label %body
; CHECK: body:
; CHECK: [[NEXT]] = add i64 [[DISTANCE]], 1
define spir_kernel void @product(ptr addrspace(1) %a, i32 %n) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  %begin = mul nsw i32 %i, %n
  %i1 = add nsw i32 %i, 1
  br label %loop
loop:
  %k = phi i32 [ %begin, %entry ], [ %next, %body ]
  %end = mul nsw i32 %i1, %n
  %more = icmp slt i32 %k, %end
  br i1 %more, label %body, label %exit
body:
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %k
  store i8 1, ptr addrspace(1) %p
  %next = add nsw i32 %k, 1
  br label %loop
exit:
  ret void
}

; What may wrap has no round where it does.
; CHECK-LABEL: @wraps(
; CHECK: [[ANY:%.*]] = icmp ult i32 %begin, -13
; CHECK: [[END:%.*]] = select i1 [[ANY]], i32 13, i32 0
; CHECK: [[DISTANCE:%.*]] = phi i32 [ 0, %entry ]
; CHECK: icmp ult i32 [[DISTANCE]], [[END]]
define spir_kernel void @wraps(ptr addrspace(1) %a) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  %begin = mul i32 %i, 13
  %end = add i32 %begin, 13
  br label %loop
loop:
  %k = phi i32 [ %begin, %entry ], [ %next, %body ]
  %more = icmp ult i32 %k, %end
  br i1 %more, label %body, label %exit
body:
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %k
  store i8 1, ptr addrspace(1) %p
  %next = add i32 %k, 1
  br label %loop
exit:
  ret void
}

; Signed numbers that may wrap, and a difference that depends on the id.
; CHECK-LABEL: @stays(
; CHECK-NOT: phi i64
; CHECK: icmp slt i32 %k, %end
; CHECK: icmp slt i32 %j, %twice
define spir_kernel void @stays(ptr addrspace(1) %a) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  %begin = mul i32 %i, 13
  %end = add i32 %begin, 13
  %twice = mul nsw i32 %i, 2
  br label %loop
loop:
  %k = phi i32 [ %begin, %entry ], [ %next, %loop ]
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %k
  store i8 1, ptr addrspace(1) %p
  %next = add i32 %k, 1
  %more = icmp slt i32 %k, %end
  br i1 %more, label %loop, label %second
second:
  br label %other
other:
  %j = phi i32 [ %i, %second ], [ %nextj, %other ]
  %q = getelementptr i8, ptr addrspace(1) %a, i32 %j
  store i8 2, ptr addrspace(1) %q
  %nextj = add nsw i32 %j, 1
  %morej = icmp slt i32 %j, %twice
  br i1 %morej, label %other, label %exit
exit:
  ret void
}

!0 = !{i32 1, i32 0}

declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)

; The lesser of two bounds: n, or what is left of all.
; CHECK-LABEL: @least(
; CHECK: [[END:%.*]] = call i64 @llvm.smin.i64(i64 {{%.*}}, i64 {{%.*}})
; CHECK: [[DISTANCE:%.*]] = phi i64 [ 0, %entry ]
; CHECK: icmp slt i64 [[DISTANCE]], [[END]]
define spir_kernel void @least(ptr addrspace(1) %a, i32 %n, i32 %all) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  %begin = mul nsw i32 %i, %n
  %next_begin = add nsw i32 %begin, %n
  %end = call i32 @llvm.smin.i32(i32 %next_begin, i32 %all)
  br label %loop
loop:
  %k = phi i32 [ %begin, %entry ], [ %next, %body ]
  %more = icmp slt i32 %k, %end
  br i1 %more, label %body, label %exit
body:
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %k
  store i8 1, ptr addrspace(1) %p
  %next = add nsw i32 %k, 1
  br label %loop
exit:
  ret void
}

; Two comparisons. The second is not made where the first has ended the loop.
; CHECK-LABEL: @both(
; CHECK: [[LEFT:%.*]] = freeze i64
; CHECK: [[END:%.*]] = call i64 @llvm.smin.i64(i64 {{%.*}}, i64 [[LEFT]])
; CHECK: [[DISTANCE:%.*]] = phi i64 [ 0, %entry ]
; CHECK: [[MORE:%.*]] = icmp slt i64 [[DISTANCE]], [[END]]
; CHECK: br i1 [[MORE]], label %body
define spir_kernel void @both(ptr addrspace(1) %a, i32 %n, i32 %all) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  %begin = mul nsw i32 %i, %n
  %end = add nsw i32 %begin, %n
  br label %loop
loop:
  %k = phi i32 [ %begin, %entry ], [ %next, %body ]
  %is_in_part = icmp slt i32 %k, %end
  %is_there = icmp slt i32 %k, %all
  %more = select i1 %is_in_part, i1 %is_there, i1 false
  br i1 %more, label %body, label %exit
body:
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %k
  store i8 1, ptr addrspace(1) %p
  %next = add nsw i32 %k, 1
  br label %loop
exit:
  ret void
}

; What may wrap around has all 13 rounds only where it does not.
; CHECK-LABEL: @least_wraps(
; CHECK: [[FITS:%.*]] = icmp ult i32 %begin, -13
; CHECK: [[WITHIN:%.*]] = icmp ule i32 %end, %all
; CHECK: [[ALL:%.*]] = and i1 [[FITS]], [[WITHIN]]
; CHECK: [[END:%.*]] = select i1 [[ALL]], i32 13, i32 {{%.*}}
; CHECK: icmp ult i32 {{%.*}}, [[END]]
define spir_kernel void @least_wraps(ptr addrspace(1) %a, i32 %all) !kernel_arg_addr_space !0 {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  %begin = mul i32 %i, 13
  %end = add i32 %begin, 13
  br label %loop
loop:
  %k = phi i32 [ %begin, %entry ], [ %next, %body ]
  %least = call i32 @llvm.umin.i32(i32 %end, i32 %all)
  %more = icmp ult i32 %k, %least
  br i1 %more, label %body, label %exit
body:
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %k
  store i8 1, ptr addrspace(1) %p
  %next = add i32 %k, 1
  br label %loop
exit:
  ret void
}
