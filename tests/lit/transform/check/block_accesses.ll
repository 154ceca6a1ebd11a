; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=check-memory %s | %check

declare <2 x i32> @_Z27intel_sub_group_block_read2PU3AS1Kj(ptr addrspace(1)) convergent
declare void @_Z27intel_sub_group_block_writePU3AS1jj(ptr addrspace(1), i32) convergent
declare void @_Z27intel_sub_group_block_write14ocl_image2d_woDv2_ij(ptr addrspace(1), <2 x i32>, i32) convergent

; A block begins at a multiple of 4 bytes. Each work-item's elements are compared with the size of the argument.
; CHECK-LABEL: define spir_kernel void @read(
; CHECK: %[[ADDRESS:.*]] = ptrtoint ptr addrspace(1) %p to i64
; CHECK: and i64 %[[ADDRESS]], 3
; CHECK: call void @clotho.check.report(
; CHECK: %[[FIRST:.*]] = call i64 @clotho.sub_group.first.none.i64(i64 %{{.*}})
; CHECK-NOT: call void @clotho.check.report(
; CHECK: call i32 @clotho.check.access(
; CHECK-NOT: call void @clotho.check.report(
; CHECK: call i32 @clotho.check.access(
define spir_kernel void @read(ptr addrspace(1) %a, i64 %i) {
  %p = getelementptr inbounds i8, ptr addrspace(1) %a, i64 %i
  %x = call <2 x i32> @_Z27intel_sub_group_block_read2PU3AS1Kj(ptr addrspace(1) %p)
  store volatile <2 x i32> %x, ptr addrspace(1) %p, align 1
  ret void
}

; What is written begins at a multiple of 16 bytes.
; CHECK-LABEL: define spir_kernel void @write(
; CHECK: %[[ADDRESS:.*]] = ptrtoint ptr addrspace(1) %a to i64
; CHECK: and i64 %[[ADDRESS]], 15
; CHECK: call void @clotho.check.report(
; CHECK: call void @clotho.check.access{{.*}}(
define spir_kernel void @write(ptr addrspace(1) %a) {
  call void @_Z27intel_sub_group_block_writePU3AS1jj(ptr addrspace(1) %a, i32 1)
  ret void
}

; Blocks of images keep their functions, which say what becomes of what lies outside.
; CHECK-LABEL: define spir_kernel void @image(
; CHECK: and i32 %{{.*}}, 3
; CHECK: call void @clotho.check.report(
; CHECK: call void @_Z27intel_sub_group_block_write14ocl_image2d_woDv2_ij(
define spir_kernel void @image(ptr addrspace(1) %a, <2 x i32> %place) {
  call void @_Z27intel_sub_group_block_write14ocl_image2d_woDv2_ij(ptr addrspace(1) %a, <2 x i32> %place, i32 1)
  ret void
}
