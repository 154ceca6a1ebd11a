; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A bound that is loaded is not known where the sub-group asks; the clamp stays, and so does what depends on it. What does
; not is asked all the same.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: agree:
; CHECK-NOT: load
; CHECK-NOT: 120
; CHECK: icmp uge i64 %{{.*}}, 9
; CHECK-NOT: 120
; CHECK: call void @k.fallback(
; CHECK: %n = load i64, ptr addrspace(1) %bound
; CHECK: call <4 x i64> @llvm.umin.v4i64(
; CHECK: call <4 x i64> @llvm.umin.v4i64({{.*}}, <4 x i64> splat (i64 120))
; CHECK-NOT: umax
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK: umax
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %bound) {
  %lid = call i64 @clotho.local_id(i32 0)
  %n = load i64, ptr addrspace(1) %bound, align 8
  %near = call i64 @llvm.umin.i64(i64 %lid, i64 %n)
  %further = add i64 %near, 2
  %at = call i64 @llvm.umin.i64(i64 %further, i64 120)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %x = load i32, ptr addrspace(1) %p, align 4
  %late = call i64 @llvm.umax.i64(i64 %lid, i64 9)
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %late
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
