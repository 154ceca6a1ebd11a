; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Loads of neighbouring members become one row of memory for all lanes, also past a store to another member of the same
; struct; a store to somewhere else keeps them apart.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @members(
; CHECK: %[[ALL:.*]] = load <8 x float>
; CHECK-NOT: load
; CHECK: fadd <4 x float>
; CHECK-LABEL: define internal spir_func void @members.predicated(
define spir_kernel void @members(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr { float, float }, ptr addrspace(1) %a, i64 %lid
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %x = load float, ptr addrspace(1) %p, align 4
  store float 0.0, ptr addrspace(1) %p, align 4
  %y = load float, ptr addrspace(1) %q, align 4
  %sum = fadd float %x, %y
  %o = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %sum, ptr addrspace(1) %o, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @written_between(
; CHECK: call <8 x float> @llvm.masked.load
; CHECK: store <4 x float>
; CHECK: call <8 x float> @llvm.masked.load
; CHECK-LABEL: define internal spir_func void @written_between.predicated(
define spir_kernel void @written_between(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr { float, float }, ptr addrspace(1) %a, i64 %lid
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %o = getelementptr float, ptr addrspace(1) %out, i64 %lid
  %x = load float, ptr addrspace(1) %p, align 4
  store float %x, ptr addrspace(1) %o, align 4
  %y = load float, ptr addrspace(1) %q, align 4
  %sum = fadd float %x, %y
  store float %sum, ptr addrspace(1) %o, align 4
  ret void
}

; Stores stand where the last of them was, with the address of the first: what that of the last was made of is gone, and
; is not kept across barriers either.
; CHECK-LABEL: define spir_kernel void @stores(
; CHECK-NOT: add i64 %{{.*}}, 1
; CHECK: %[[FIRST:.*]] = getelementptr float, ptr addrspace(1) %out, i64 %[[INDEX:.*]]
; CHECK-NOT: add i64 %[[INDEX]], 1
; CHECK: store <8 x float> {{.*}}, ptr addrspace(1) %[[FIRST]]
; CHECK-LABEL: define internal spir_func void @stores.predicated(
define spir_kernel void @stores(ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %index = shl i64 %lid, 1
  %next = add i64 %index, 1
  %p = getelementptr float, ptr addrspace(1) %out, i64 %index
  %q = getelementptr float, ptr addrspace(1) %out, i64 %next
  store float 1.0, ptr addrspace(1) %p, align 4
  store float 2.0, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
