; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=exchange-dimensions %s | %check
; Lanes follow the dimension along which memory is contiguous: it is exchanged with dimension 0 in all queries of a
; dimension, and in the sizes that the kernel requires.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.global_id(i32) #0
declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_id(i32) #0
declare i64 @clotho.local_size(i32) #0
declare i64 @clotho.global_size(i32) #0
declare i64 @clotho.global_offset(i32) #0
declare i64 @clotho.num_groups(i32) #0
declare i64 @clotho.enqueued_size(i32) #0
declare void @clotho.barrier() #1

; Rows of a matrix along dimension 0: the load is a gather there.
; CHECK: define spir_kernel void @rows_first({{.*}}) !clotho.facts ![[ONE:[0-9]+]] {
; CHECK: %y = call i64 @clotho.global_id(i32 1)
; CHECK: %x = call i64 @clotho.global_id(i32 0)
define spir_kernel void @rows_first(ptr addrspace(1) %a, i64 %w) {
  %y = call i64 @clotho.global_id(i32 0)
  %x = call i64 @clotho.global_id(i32 1)
  %row = mul i64 %y, %w
  %i = add i64 %row, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

; Variant with 32-bit indices, from the group's id and size, in a loop with a loop-carried pointer, behind a barrier.
; CHECK: define spir_kernel void @tiles({{.*}}) !reqd_work_group_size ![[SIZE:[0-9]+]] !work_group_size_hint ![[SIZE]] !clotho.facts ![[ONE]] {
; CHECK: %group = call i64 @clotho.group_id(i32 0)
; CHECK: %size = call i64 @clotho.local_size(i32 0)
; CHECK: %l = call i64 @clotho.local_id(i32 0)
; CHECK: %m = call i64 @clotho.local_id(i32 1)
define spir_kernel void @tiles(ptr addrspace(1) %a, i32 %w) !reqd_work_group_size !0 !work_group_size_hint !0 {
entry:
  %group = call i64 @clotho.group_id(i32 1)
  %size = call i64 @clotho.local_size(i32 1)
  %l = call i64 @clotho.local_id(i32 1)
  %m = call i64 @clotho.local_id(i32 0)
  %base = mul i64 %group, %size
  %x = add i64 %base, %l
  %x32 = trunc i64 %x to i32
  %m32 = trunc i64 %m to i32
  %row = mul i32 %m32, %w
  %i = add nsw i32 %row, %x32
  %i64 = sext i32 %i to i64
  %first = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i64
  call void @clotho.barrier() #1
  br label %loop

loop:
  %p = phi ptr addrspace(1) [ %first, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %more, %loop ]
  %old = load i32, ptr addrspace(1) %p, align 4
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) %p, align 4
  %step = sext i32 %w to i64
  %next = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %step
  %more = add i32 %k, 1
  %done = icmp eq i32 %more, 8
  br i1 %done, label %end, label %loop

end:
  ret void
}

; Dimension 2 is the best, and dimension 1 keeps its name.
; CHECK: define spir_kernel void @third({{.*}}) !clotho.facts ![[TWO:[0-9]+]] {
; CHECK: %x = call i64 @clotho.global_id(i32 2)
; CHECK: %y = call i64 @clotho.global_id(i32 1)
; CHECK: %z = call i64 @clotho.global_id(i32 0)
; CHECK: call i64 @clotho.global_size(i32 1)
; CHECK: call i64 @clotho.global_size(i32 0)
; CHECK: call i64 @clotho.global_offset(i32 2)
; CHECK: call i64 @clotho.num_groups(i32 2)
; CHECK: call i64 @clotho.enqueued_size(i32 0)
define spir_kernel void @third(ptr addrspace(1) %a) {
  %x = call i64 @clotho.global_id(i32 0)
  %y = call i64 @clotho.global_id(i32 1)
  %z = call i64 @clotho.global_id(i32 2)
  %sy = call i64 @clotho.global_size(i32 1)
  %sz = call i64 @clotho.global_size(i32 2)
  %o = call i64 @clotho.global_offset(i32 0)
  %n = call i64 @clotho.num_groups(i32 0)
  %e = call i64 @clotho.enqueued_size(i32 2)
  %xy = mul i64 %x, %sy
  %plane = add i64 %xy, %y
  %row = mul i64 %plane, %sz
  %i = add i64 %row, %z
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

; No work-item of dimension 0 can be told from another: there is one of them.
; CHECK: define spir_kernel void @one_row({{.*}}) !clotho.facts ![[ONE]] {
; CHECK: call i64 @clotho.group_id(i32 1)
; CHECK: call i64 @clotho.local_id(i32 0)
define spir_kernel void @one_row(ptr addrspace(1) %a) {
  %g = call i64 @clotho.group_id(i32 0)
  %x = call i64 @clotho.local_id(i32 1)
  %row = mul i64 %g, 1024
  %i = add i64 %row, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

; One work-item along dimension 0, whose id is asked for all the same; a store by one of dimension 1 says nothing.
; CHECK: define spir_kernel void @one_row_asked({{.*}}) !clotho.facts ![[ONE]] {
; CHECK: call i64 @clotho.global_id(i32 1)
; CHECK: call i64 @clotho.local_id(i32 0)
define spir_kernel void @one_row_asked(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %w) {
entry:
  %y = call i64 @clotho.global_id(i32 0)
  %x = call i64 @clotho.local_id(i32 1)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %x
  store i64 %y, ptr addrspace(1) %p, align 8
  %is_first = icmp eq i64 %x, 0
  br i1 %is_first, label %first, label %end

first:
  store i64 %x, ptr addrspace(1) %b, align 8
  br label %end

end:
  ret void
}

; Backwards from the end, by what LLVM makes of -1 - l. Rows of four elements are worth it.
; CHECK: define spir_kernel void @from_the_end({{.*}}) !reqd_work_group_size !{{[0-9]+}} !clotho.facts ![[ONE]] {
; CHECK: call i64 @clotho.local_id(i32 1)
; CHECK: call i64 @clotho.local_id(i32 0)
define spir_kernel void @from_the_end(ptr addrspace(1) %a, i64 %w) !reqd_work_group_size !1 {
  %y = call i64 @clotho.local_id(i32 0)
  %x = call i64 @clotho.local_id(i32 1)
  %row = mul i64 %y, %w
  %before = xor i64 %x, -1
  %i = add i64 %row, %before
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

; CHECK-DAG: ![[ONE]] = !{!"lane-dimension", i32 1}
; CHECK-DAG: ![[TWO]] = !{!"lane-dimension", i32 2}
; CHECK-DAG: ![[SIZE]] = !{i32 64, i32 4, i32 1}
!0 = !{i32 4, i32 64, i32 1}
!1 = !{i32 64, i32 4, i32 1}

attributes #0 = { nounwind memory(none) speculatable willreturn }
attributes #1 = { convergent nounwind }
