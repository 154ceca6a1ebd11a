; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; All lanes together load eight cache lines, and shuffles will mix their order: they are touched in order before.
; Shorter rows, and those that stay in order, are left to hardware.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @long_rows(
; CHECK: begin:
; CHECK: %[[LINE:.*]] = getelementptr i8, ptr addrspace(1) %[[ROW:.*]], i64 0
; CHECK: load volatile i8, ptr addrspace(1) %[[LINE]], align 1
; CHECK: getelementptr i8, ptr addrspace(1) %[[ROW]], i64 64
; CHECK: load volatile i8
; CHECK: getelementptr i8, ptr addrspace(1) %[[ROW]], i64 128
; CHECK-COUNT-6: load volatile i8
; CHECK-NOT: load volatile
; CHECK: load <64 x double>, ptr addrspace(1) %[[ROW]]
define spir_kernel void @long_rows(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr <16 x double>, ptr addrspace(1) %in, i64 %lid
  %x = load <16 x double>, ptr addrspace(1) %p, align 128
  %y = shufflevector <16 x double> %x, <16 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %q = getelementptr <8 x double>, ptr addrspace(1) %out, i64 %lid
  store <8 x double> %y, ptr addrspace(1) %q, align 64
  ret void
}

; CHECK-LABEL: define spir_kernel void @copied(
; CHECK-NOT: load volatile
; CHECK-LABEL: }
define spir_kernel void @copied(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr <16 x double>, ptr addrspace(1) %in, i64 %lid
  %x = load <16 x double>, ptr addrspace(1) %p, align 128
  %q = getelementptr <16 x double>, ptr addrspace(1) %out, i64 %lid
  store <16 x double> %x, ptr addrspace(1) %q, align 128
  ret void
}

; CHECK-LABEL: define spir_kernel void @short_rows(
; CHECK-NOT: load volatile
; CHECK-LABEL: }
define spir_kernel void @short_rows(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr <8 x double>, ptr addrspace(1) %in, i64 %lid
  %x = load <8 x double>, ptr addrspace(1) %p, align 64
  %q = getelementptr <8 x double>, ptr addrspace(1) %out, i64 %lid
  store <8 x double> %x, ptr addrspace(1) %q, align 64
  ret void
}

attributes #0 = { nounwind speculatable willreturn memory(none) }
