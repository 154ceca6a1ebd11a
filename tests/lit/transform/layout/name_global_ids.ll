; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=name-global-ids %s | %check

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_id(i32) #0

; Without a global offset, sums of the group's and the local id are global ids.
; CHECK-LABEL: define spir_kernel void @sums(
; CHECK-SAME: !reqd_work_group_size
; CHECK: [[WHOLE:%.*]] = call i64 @clotho.global_id(i32 0)
; CHECK: [[ID:%.*]] = trunc i64 [[WHOLE]] to i32
; CHECK: store i32 [[ID]], ptr addrspace(1) %p
; CHECK: [[Y:%.*]] = call i64 @clotho.global_id(i32 1)
; CHECK: store i64 [[Y]], ptr addrspace(1) %p
; CHECK-NOT: global_id
; CHECK: ret void
define spir_kernel void @sums(ptr addrspace(1) %p) !reqd_work_group_size !0 !clotho.no_offset !1 {
  %g = call i64 @clotho.group_id(i32 0)
  %g32 = trunc i64 %g to i32
  %l = call i64 @clotho.local_id(i32 0)
  %l32 = trunc i64 %l to i32
  %begin = shl i32 %g32, 4
  %x = or disjoint i32 %begin, %l32
  store i32 %x, ptr addrspace(1) %p
  %gy = call i64 @clotho.group_id(i32 1)
  %ly = call i64 @clotho.local_id(i32 1)
  %row = mul i64 %gy, 4
  %y = add i64 %ly, %row
  store i64 %y, ptr addrspace(1) %p
  %other = add i64 %l, %row
  store i64 %other, ptr addrspace(1) %p
  %half = shl i64 %gy, 1
  %no = add i64 %half, %ly
  store i64 %no, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @with_offset(
; CHECK-NOT: global_id
; CHECK: ret void
define spir_kernel void @with_offset(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %gy = call i64 @clotho.group_id(i32 1)
  %ly = call i64 @clotho.local_id(i32 1)
  %row = mul i64 %gy, 4
  %y = add i64 %ly, %row
  store i64 %y, ptr addrspace(1) %p
  ret void
}

; Nothing of the group is left to be told: the size is of no matter.
; CHECK-LABEL: define spir_kernel void @only(
; CHECK-NOT: reqd_work_group_size
; CHECK: ret void
define spir_kernel void @only(ptr addrspace(1) %p) !reqd_work_group_size !0 !clotho.no_offset !1 {
  %g = call i64 @clotho.group_id(i32 0)
  %l = call i64 @clotho.local_id(i32 0)
  %begin = shl i64 %g, 4
  %x = add i64 %begin, %l
  store i64 %x, ptr addrspace(1) %p
  ret void
}

!0 = !{i32 16, i32 4, i32 1}
!1 = !{}

attributes #0 = { nounwind willreturn memory(none) }
