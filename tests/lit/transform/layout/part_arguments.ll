; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=part-arguments %s | %check
; Parts of launches see the whole: what a kernel asks for comes behind its own parameters.

declare i64 @clotho.global_id(i32)
declare i64 @clotho.group_id(i32)
declare i64 @clotho.num_groups(i32)
declare i64 @clotho.global_size(i32)
declare i64 @clotho.global_offset(i32)

; CHECK: define spir_kernel void @all(ptr addrspace(1) %out, i32 %n, i64 %[[first:[0-9]+]], i64 %[[groups:[0-9]+]], i64 %[[size:[0-9]+]], i64 %[[offset:[0-9]+]]) #0 !kernel_arg_name
; CHECK: %group = call i64 @clotho.group_id(i32 1)
; CHECK-NEXT: %[[id:[0-9]+]] = add nuw i64 %group, %[[first]]
; CHECK-NOT: call i64 @clotho.num_groups
; CHECK: %a = add i64 %[[id]], %[[groups]]
; CHECK-NEXT: %b = add i64 %a, %[[size]]
; CHECK-NEXT: %c = add i64 %b, %[[offset]]
; CHECK-NEXT: %e = add i64 %c, %[[groups]]
define spir_kernel void @all(ptr addrspace(1) %out, i32 %n) #0 !kernel_arg_name !0 {
  %group = call i64 @clotho.group_id(i32 1)
  %groups = call i64 @clotho.num_groups(i32 0)
  %size = call i64 @clotho.global_size(i32 0)
  %offset = call i64 @clotho.global_offset(i32 2)
  %again = call i64 @clotho.num_groups(i32 0)
  %a = add i64 %group, %groups
  %b = add i64 %a, %size
  %c = add i64 %b, %offset
  %e = add i64 %c, %again
  store i64 %e, ptr addrspace(1) %out
  ret void
}

; CHECK: define spir_kernel void @none(ptr addrspace(1) %out)
; CHECK-NEXT: call i64 @clotho.global_id(i32 0)
define spir_kernel void @none(ptr addrspace(1) %out) {
  %i = call i64 @clotho.global_id(i32 0)
  store i64 %i, ptr addrspace(1) %out
  ret void
}

; The runtime launches it by itself.
; CHECK: define spir_kernel void @initialiser(ptr addrspace(1) %out) #1
define spir_kernel void @initialiser(ptr addrspace(1) %out) #1 {
  %groups = call i64 @clotho.num_groups(i32 0)
  store i64 %groups, ptr addrspace(1) %out
  ret void
}

attributes #0 = { convergent }
attributes #1 = { "clotho-role"="initialiser" }
!0 = !{!"out", !"n"}
