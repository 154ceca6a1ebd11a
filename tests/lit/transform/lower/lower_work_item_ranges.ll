; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-work-item %s | %check
; What local ids and sizes may be is known, so that conversions to int and back fold away.

declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func i64 @_Z14get_local_sizej(i32)

; CHECK-LABEL: @any(
; CHECK: call range(i64 0, 2147483648) i64 @clotho.local_id(i32 0)
; CHECK: call range(i64 1, 2147483648) i64 @clotho.local_size(i32 0)
define spir_kernel void @any(ptr addrspace(1) %out) {
  %id = call spir_func i64 @_Z12get_local_idj(i32 0)
  %size = call spir_func i64 @_Z14get_local_sizej(i32 0)
  %sum = add i64 %id, %size
  store i64 %sum, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @required(
; CHECK: call range(i64 0, 4) i64 @clotho.local_id(i32 1)
define spir_kernel void @required(ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %id = call spir_func i64 @_Z12get_local_idj(i32 1)
  store i64 %id, ptr addrspace(1) %out
  ret void
}

; A kernel's body that another kernel calls runs with the caller's size.
; CHECK-LABEL: @body(
; CHECK: call range(i64 0, 2147483648) i64 @clotho.local_id(i32 1)
define spir_func void @body(ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %id = call spir_func i64 @_Z12get_local_idj(i32 1)
  store i64 %id, ptr addrspace(1) %out
  ret void
}

define spir_kernel void @own(ptr addrspace(1) %out) !reqd_work_group_size !0 {
  call spir_func void @body(ptr addrspace(1) %out)
  ret void
}

define spir_kernel void @other(ptr addrspace(1) %out) {
  call spir_func void @body(ptr addrspace(1) %out)
  ret void
}

!0 = !{i32 16, i32 4, i32 1}
