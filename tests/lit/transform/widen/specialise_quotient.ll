; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A quotient is one for all lanes where the first and the last lane have the same, and the remainder is then a row.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: agree:
; CHECK: %[[ROW:.*]] = udiv i64 %[[FIRST:.*]], 300
; CHECK: %[[OF_LAST:.*]] = udiv i64 %{{.*}}, 300
; CHECK: icmp eq i64 %[[ROW]], %[[OF_LAST]]
; CHECK: %[[BEGIN:.*]] = mul i64 %[[ROW]], 300
; CHECK: sub i64 %{{.*}}, %[[BEGIN]]
; CHECK-NOT: gather
; CHECK: getelementptr float, ptr addrspace(1) %in, i64 %[[ROW]]
; CHECK: load float, ptr addrspace(1)
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK: gather
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %row = udiv i64 %lid, 300
  %column = urem i64 %lid, 300
  %p = getelementptr float, ptr addrspace(1) %in, i64 %row
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %column
  store float %x, ptr addrspace(1) %q, align 4
  ret void
}

; Rows so short that most sub-groups would be in two.
; CHECK-LABEL: define spir_kernel void @short_rows(
; CHECK: gather
define spir_kernel void @short_rows(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %row = lshr i64 %lid, 3
  %p = getelementptr float, ptr addrspace(1) %in, i64 %row
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %x, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind speculatable willreturn memory(none) }
