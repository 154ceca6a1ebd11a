; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=fold-image-formats %s | %check
; What is loaded of a known format is a constant; what comes behind the format in a descriptor is loaded as before.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CL_RGBA is 4277, and texels have four bytes.
; CHECK-LABEL: define spir_kernel void @known(
; CHECK: store i32 4277, ptr addrspace(1) %out
; CHECK: store i32 4, ptr addrspace(1) %out
; CHECK: %[[WIDTH:.*]] = load i32, ptr addrspace(2) %behind
; CHECK: store i32 %[[WIDTH]], ptr addrspace(1) %out
; CHECK: %[[UNKNOWN:.*]] = load i32, ptr addrspace(2) %other
; CHECK: store i32 %[[UNKNOWN]], ptr addrspace(1) %out
define spir_kernel void @known(ptr addrspace(2) "clotho-image" "clotho-image-format"="rgba.unorm8" %image,
                               ptr addrspace(2) "clotho-image" %other, ptr addrspace(1) %out) {
  %first = load i32, ptr addrspace(2) %image
  store i32 %first, ptr addrspace(1) %out
  %inner = getelementptr i8, ptr addrspace(2) %image, i64 8
  %further = getelementptr i8, ptr addrspace(2) %inner, i64 4
  %fourth = load i32, ptr addrspace(2) %further
  store i32 %fourth, ptr addrspace(1) %out
  %behind = getelementptr i8, ptr addrspace(2) %image, i64 104
  %width = load i32, ptr addrspace(2) %behind
  store i32 %width, ptr addrspace(1) %out
  %unknown = load i32, ptr addrspace(2) %other
  store i32 %unknown, ptr addrspace(1) %out
  ret void
}
