; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=mark-non-temporal-stores %s | %check
; Texels are written past the caches as elements of buffers are, unless the kernel reads the image.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) memory(none)

; CHECK-LABEL: define spir_kernel void @written(
; CHECK: store i32 1, ptr addrspace(1) %texel, align 1, !clotho.non_temporal
define spir_kernel void @written(ptr addrspace(2) "clotho-image" %image) {
  %id = call i64 @clotho.local_id(i32 0)
  %field = getelementptr i8, ptr addrspace(2) %image, i64 128
  %base = load i64, ptr addrspace(2) %field
  %first = inttoptr i64 %base to ptr addrspace(1)
  %texel = getelementptr i32, ptr addrspace(1) %first, i64 %id
  store i32 1, ptr addrspace(1) %texel, align 1
  ret void
}

; CHECK-LABEL: define spir_kernel void @readToo(
; CHECK-NOT: clotho.non_temporal
; CHECK: ret void
define spir_kernel void @readToo(ptr addrspace(2) "clotho-image" %image) {
  %id = call i64 @clotho.local_id(i32 0)
  %field = getelementptr i8, ptr addrspace(2) %image, i64 128
  %base = load i64, ptr addrspace(2) %field
  %first = inttoptr i64 %base to ptr addrspace(1)
  %texel = getelementptr i32, ptr addrspace(1) %first, i64 %id
  %old = load i32, ptr addrspace(1) %texel, align 1
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) %texel, align 1
  ret void
}
