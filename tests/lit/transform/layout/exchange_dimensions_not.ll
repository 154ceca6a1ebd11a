; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=exchange-dimensions %s | %check
; Dimensions stay what they are where no other is clearly better for lanes, and where the kernel has to do with the order
; of work-items.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.global_id(i32) #0
declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.local_size(i32) #0
declare ptr @clotho.printf_buffer() #0
declare i32 @clotho.sub_group.shuffle.none.i32(i32, i32) #1

; CHECK-NOT: !clotho.facts

; The usual way: columns along dimension 0.
define spir_kernel void @columns_first(ptr addrspace(1) %a, i64 %w) {
  %x = call i64 @clotho.global_id(i32 0)
  %y = call i64 @clotho.global_id(i32 1)
  %row = mul i64 %y, %w
  %i = add i64 %row, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

; One gather and one scatter, in whichever dimension.
define spir_kernel void @transposed(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %w) {
  %x = call i64 @clotho.global_id(i32 0)
  %y = call i64 @clotho.global_id(i32 1)
  %row = mul i64 %y, %w
  %i = add i64 %row, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %value = load i32, ptr addrspace(1) %p, align 4
  %column = mul i64 %x, %w
  %j = add i64 %column, %y
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j
  store i32 %value, ptr addrspace(1) %q, align 4
  ret void
}

; What is better outside of a loop is not, where more is worse in it.
define spir_kernel void @in_loop(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %w) {
entry:
  %y = call i64 @clotho.global_id(i32 0)
  %x = call i64 @clotho.global_id(i32 1)
  %row = mul i64 %y, %w
  %i = add i64 %row, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 0, ptr addrspace(1) %p, align 4
  %column = mul i64 %x, %w
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %j = add i64 %column, %k
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j
  %value = load i32, ptr addrspace(1) %q, align 4
  %more = add i32 %sum, %value
  %next = add i64 %k, 1
  %done = icmp eq i64 %next, %w
  br i1 %done, label %end, label %loop

end:
  store i32 %more, ptr addrspace(1) %p, align 4
  ret void
}

; Rows are of two elements, as the required size says: two vectors hold what sixteen lanes along dimension 0 store.
define spir_kernel void @required_tile(ptr addrspace(3) %t, i64 %w) !reqd_work_group_size !2 {
  %y = call i64 @clotho.local_id(i32 0)
  %x = call i64 @clotho.local_id(i32 1)
  %size = call i64 @clotho.local_size(i32 1)
  %row = mul i64 %size, %y
  %i = add i64 %row, %x
  %p = getelementptr i32, ptr addrspace(3) %t, i64 %i
  store i32 1, ptr addrspace(3) %p, align 4
  ret void
}

; Gathers and scatters for sixteen work-items are worth no more than loads and stores for one.
define spir_kernel void @one_lane(ptr addrspace(1) %a, ptr addrspace(3) %t, i64 %w) !reqd_work_group_size !3 {
  %x = call i64 @clotho.global_id(i32 0)
  %y = call i64 @clotho.global_id(i32 1)
  %row = mul i64 %y, %w
  %i = add i64 %row, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %old = load i32, ptr addrspace(1) %p, align 4
  %l = call i64 @clotho.local_id(i32 1)
  %q = getelementptr i32, ptr addrspace(3) %t, i64 %l
  store i32 %old, ptr addrspace(3) %q, align 4
  store i32 1, ptr addrspace(1) %p, align 4
  %r = getelementptr i32, ptr addrspace(3) %q, i64 1
  store i32 %old, ptr addrspace(3) %r, align 4
  ret void
}

; One work-item along dimension 1, or each place would be stored to by several of them.
define spir_kernel void @one_dimension(ptr addrspace(1) %a) {
  %x = call i64 @clotho.global_id(i32 0)
  %y = call i64 @clotho.global_id(i32 1)
  %p = getelementptr { i64, i64, [10 x i64] }, ptr addrspace(1) %a, i64 %x, i32 0
  %q = getelementptr { i64, i64, [10 x i64] }, ptr addrspace(1) %a, i64 %x, i32 1
  store i64 %x, ptr addrspace(1) %p, align 8
  store i64 %y, ptr addrspace(1) %q, align 8
  ret void
}

; There are no neighbours along dimension 1.
define spir_kernel void @required(ptr addrspace(1) %a, i64 %w) !reqd_work_group_size !0 {
  %y = call i64 @clotho.global_id(i32 0)
  %x = call i64 @clotho.global_id(i32 1)
  %row = mul i64 %y, %w
  %i = add i64 %row, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

; Lanes are the work-items of a sub-group, whose order the specification tells.
define spir_kernel void @sub_groups(ptr addrspace(1) %a, i64 %w) {
  %y = call i64 @clotho.global_id(i32 0)
  %x = call i64 @clotho.global_id(i32 1)
  %row = mul i64 %y, %w
  %i = add i64 %row, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %other = call i32 @clotho.sub_group.shuffle.none.i32(i32 1, i32 0) #1
  store i32 %other, ptr addrspace(1) %p, align 4
  ret void
}

define spir_kernel void @required_sub_groups(ptr addrspace(1) %a, i64 %w) !intel_reqd_sub_group_size !1 {
  %y = call i64 @clotho.global_id(i32 0)
  %x = call i64 @clotho.global_id(i32 1)
  %row = mul i64 %y, %w
  %i = add i64 %row, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

; People read what kernels print in the order in which they are used to find it.
define spir_kernel void @prints(ptr addrspace(1) %a, i64 %w) {
  %y = call i64 @clotho.global_id(i32 0)
  %x = call i64 @clotho.global_id(i32 1)
  %row = mul i64 %y, %w
  %i = add i64 %row, %x
  %p = getelementptr ptr, ptr addrspace(1) %a, i64 %i
  %buffer = call ptr @clotho.printf_buffer()
  store ptr %buffer, ptr addrspace(1) %p, align 8
  ret void
}

!0 = !{i32 64, i32 1, i32 1}
!1 = !{i32 16}
!2 = !{i32 64, i32 2, i32 1}
!3 = !{i32 1, i32 64, i32 1}

attributes #0 = { nounwind memory(none) speculatable willreturn }
attributes #1 = { convergent nounwind memory(none) }
