; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=reshape-groups,instcombine %s | %check

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.global_id(i32) #0
declare i64 @clotho.group_id(i32) #0
declare i64 @clotho.local_size(i32) #0
declare i64 @clotho.global_size(i32) #0
declare void @clotho.barrier()

; Rows of two: 32 work-items in one row, of which dimension 1 has every other's number.
; CHECK-LABEL: define spir_kernel void @short_rows(
; CHECK-SAME: !reqd_work_group_size [[ROW:![0-9]+]]
; CHECK-DAG: [[L:%.*]] = call range(i64 0, 32) i64 @clotho.local_id(i32 0)
; CHECK-DAG: and i64 [[L]], 1
; CHECK-DAG: [[N:%.*]] = trunc nuw nsw i64 [[L]] to i32
; CHECK-DAG: lshr i32 [[N]], 1
; CHECK-DAG: call range(i64 0, 134217728) i64 @clotho.group_id(i32 1)
; CHECK-NOT: local_size
; CHECK: [[P:%.*]] = getelementptr {{.*}}, ptr addrspace(3) %t, i64 [[L]]
; CHECK-NEXT: store i64 {{.*}}, ptr addrspace(3) [[P]]
define spir_kernel void @short_rows(ptr addrspace(1) %p, ptr addrspace(3) %t) !reqd_work_group_size !0 !clotho.no_offset !9 {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %nx = call i64 @clotho.local_size(i32 0)
  %row = mul i64 %y, %nx
  %l = add i64 %row, %x
  %a = getelementptr i64, ptr addrspace(3) %t, i64 %l
  store i64 %x, ptr addrspace(3) %a
  call void @clotho.barrier()
  store volatile i64 %y, ptr addrspace(1) %p
  %gy = call i64 @clotho.global_id(i32 1)
  store volatile i64 %gy, ptr addrspace(1) %p
  ret void
}

; One row whose addresses are by rows of 16: these are rows, and no division is left.
; CHECK-LABEL: define spir_kernel void @divided(
; CHECK-SAME: !reqd_work_group_size [[SQUARE:![0-9]+]]
; CHECK-DAG: [[X:%.*]] = call range(i64 0, 16) i64 @clotho.local_id(i32 0)
; CHECK-DAG: [[Y:%.*]] = call range(i64 0, 4) i64 @clotho.local_id(i32 1)
; CHECK-DAG: getelementptr {{.*}}, ptr addrspace(3) %t, i64 [[X]]
; CHECK-NOT: {{div|rem|lshr|ashr}}
; CHECK: store volatile i64 [[Y]]
; CHECK-NOT: {{div|rem|lshr|ashr}}
; CHECK: ret void
define spir_kernel void @divided(ptr addrspace(1) %p, ptr addrspace(3) %t) !reqd_work_group_size !1 !clotho.no_offset !9 {
  %l = call i64 @clotho.local_id(i32 0)
  %column = urem i64 %l, 16
  %row = udiv i64 %l, 16
  %a = getelementptr i64, ptr addrspace(3) %t, i64 %column
  store i64 %l, ptr addrspace(3) %a
  call void @clotho.barrier()
  store volatile i64 %row, ptr addrspace(1) %p
  %whole = call i64 @clotho.global_id(i32 0)
  %g = trunc i64 %whole to i32
  %rows = sdiv i32 %g, 16
  store volatile i32 %rows, ptr addrspace(1) %p
  ret void
}

; A byte holds ids modulo 256, whose quotients begin again, too.
; CHECK-LABEL: define spir_kernel void @narrow(
; CHECK: [[BYTE:%.*]] = trunc {{.*}} to i8
; CHECK: lshr i8 [[BYTE]], 4
; CHECK: ret void
define spir_kernel void @narrow(ptr addrspace(1) %p, ptr addrspace(3) %t) !reqd_work_group_size !1 !clotho.no_offset !9 {
  %l = call i64 @clotho.local_id(i32 0)
  %column = urem i64 %l, 16
  %a = getelementptr i64, ptr addrspace(3) %t, i64 %column
  store i64 %l, ptr addrspace(3) %a
  call void @clotho.barrier()
  %whole = call i64 @clotho.global_id(i32 0)
  %g = trunc i64 %whole to i8
  %rows = udiv i8 %g, 16
  store volatile i8 %rows, ptr addrspace(1) %p
  ret void
}

; What is divided is no address: rows may stay long.
; CHECK-LABEL: define spir_kernel void @compared(
; CHECK-SAME: !reqd_work_group_size [[LONG:![0-9]+]]
; CHECK-NOT: local_id(i32 1)
; CHECK: ret void
define spir_kernel void @compared(ptr addrspace(1) %p) !reqd_work_group_size !1 !clotho.no_offset !9 {
  %l = call i64 @clotho.local_id(i32 0)
  %column = urem i64 %l, 16
  %is = icmp eq i64 %column, 0
  call void @clotho.barrier()
  store volatile i1 %is, ptr addrspace(1) %p
  ret void
}

; 24 is no part of 64, and kernels whose launches may have offsets stay as they are.
; CHECK-LABEL: define spir_kernel void @no_part(
; CHECK-SAME: !reqd_work_group_size [[LONG]]
define spir_kernel void @no_part(ptr addrspace(1) %p, ptr addrspace(3) %t) !reqd_work_group_size !1 !clotho.no_offset !9 {
  %l = call i64 @clotho.local_id(i32 0)
  %column = urem i64 %l, 24
  %a = getelementptr i64, ptr addrspace(3) %t, i64 %column
  store i64 %l, ptr addrspace(3) %a
  call void @clotho.barrier()
  ret void
}
; CHECK-LABEL: define spir_kernel void @with_offset(
; CHECK-SAME: !reqd_work_group_size [[SHORT:![0-9]+]]
define spir_kernel void @with_offset(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %x = call i64 @clotho.local_id(i32 0)
  call void @clotho.barrier()
  store volatile i64 %x, ptr addrspace(1) %p
  ret void
}

; CHECK-DAG: [[ROW]] = !{i32 32, i32 1, i32 1}
; CHECK-DAG: [[SQUARE]] = !{i32 16, i32 4, i32 1}
; CHECK-DAG: [[LONG]] = !{i32 64, i32 1, i32 1}
; CHECK-DAG: [[SHORT]] = !{i32 2, i32 16, i32 1}
attributes #0 = { nounwind willreturn memory(none) }
!0 = !{i32 2, i32 16, i32 1}
!1 = !{i32 64, i32 1, i32 1}
!9 = !{}
