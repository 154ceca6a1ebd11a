; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='forget-blocks,globaldce' %s | %check
; Nothing is called through a pointer here, so the function of a block whose address a literal holds goes away. One that
; is called stays.

target triple = "spir64"

declare i64 @clotho.global_id(i32)

; CHECK: @literal = internal addrspace(1) constant { i32, i32, ptr addrspace(4) } { i32 16, i32 8, ptr addrspace(4) null }
@literal = internal addrspace(1) constant { i32, i32, ptr addrspace(4) } { i32 16, i32 8, ptr addrspace(4) addrspacecast (ptr @block to ptr addrspace(4)) }

; CHECK-NOT: @block
define internal spir_func void @block(ptr addrspace(4) %literal) {
  %id = call i64 @clotho.global_id(i32 0)
  store i64 %id, ptr addrspace(4) %literal
  ret void
}

; CHECK: define internal spir_func void @called
define internal spir_func void @called(ptr %place) {
  store i64 1, ptr %place
  ret void
}

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: store ptr addrspace(4) null, ptr %place
; CHECK: store ptr null, ptr %place
; CHECK: call spir_func void @called(ptr %place)
define spir_kernel void @k(ptr addrspace(1) %out) {
  %place = alloca ptr addrspace(4)
  store ptr addrspace(4) addrspacecast (ptr @block to ptr addrspace(4)), ptr %place
  store ptr @block, ptr %place
  call spir_func void @called(ptr %place)
  store ptr addrspace(1) @literal, ptr addrspace(1) %out
  ret void
}
