; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=check-memory %s | %check

; A function makes the accesses of which some work-items fail. Accesses share it if they do the same, and the operation
; and the order of an atomic access belong to that.
; CHECK-LABEL: define spir_kernel void @atomics(
; CHECK: call i32 @[[ADD:clotho.check.access[.0-9]*]](
; CHECK: call i32 @[[SUB:clotho.check.access[.0-9]*]](
; CHECK: call i32 @[[RELEASE:clotho.check.access[.0-9]*]](
; CHECK: call i32 @[[ADD]](
; CHECK: define internal i32 @[[ADD]](
; CHECK: atomicrmw add {{.*}} monotonic
; CHECK: define internal i32 @[[SUB]](
; CHECK: atomicrmw sub {{.*}} monotonic
; CHECK: define internal i32 @[[RELEASE]](
; CHECK: atomicrmw add {{.*}} release
define spir_kernel void @atomics(ptr addrspace(1) %a, i64 %i, i64 %j, i64 %k, i64 %l) {
  %1 = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %2 = atomicrmw add ptr addrspace(1) %1, i32 1 monotonic
  %3 = getelementptr i32, ptr addrspace(1) %a, i64 %j
  %4 = atomicrmw sub ptr addrspace(1) %3, i32 1 monotonic
  %5 = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %6 = atomicrmw add ptr addrspace(1) %5, i32 1 release
  %7 = getelementptr i32, ptr addrspace(1) %a, i64 %l
  %8 = atomicrmw add ptr addrspace(1) %7, i32 1 monotonic
  ret void
}
