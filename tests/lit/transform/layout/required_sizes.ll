; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=required-sizes %s | %check
; The local size of a kernel that requires one is a constant; of its remainder kernel, which requires none, it is not.

declare i64 @clotho.local_size(i32)
declare i64 @clotho.local_id(i32)
declare i64 @clotho.enqueued_size(i32)

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NEXT: store i64 16, ptr addrspace(1) %p
; CHECK-NEXT: store i64 4, ptr addrspace(1) %p
; CHECK-NEXT: store i64 16, ptr addrspace(1) %p
; CHECK-NEXT: %l = call range(i64 0, 16) i64 @clotho.local_id(i32 0)
; CHECK-NEXT: store i64 %l, ptr addrspace(1) %p
; CHECK-NEXT: store i64 0, ptr addrspace(1) %p
; CHECK-NEXT: ret void
define spir_kernel void @k(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %x = call i64 @clotho.local_size(i32 0)
  store i64 %x, ptr addrspace(1) %p
  %y = call i64 @clotho.local_size(i32 1)
  store i64 %y, ptr addrspace(1) %p
  %e = call i64 @clotho.enqueued_size(i32 0)
  store i64 %e, ptr addrspace(1) %p
  %l = call range(i64 0, 2147483648) i64 @clotho.local_id(i32 0)
  store i64 %l, ptr addrspace(1) %p
  %z = call range(i64 0, 2147483648) i64 @clotho.local_id(i32 2)
  store i64 %z, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @any(
; CHECK-NEXT: call i64 @clotho.local_size(i32 0)
define spir_kernel void @any(ptr addrspace(1) %p) {
  %x = call i64 @clotho.local_size(i32 0)
  store i64 %x, ptr addrspace(1) %p
  ret void
}

!0 = !{i32 16, i32 4, i32 1}
