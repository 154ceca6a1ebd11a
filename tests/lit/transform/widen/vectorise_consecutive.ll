; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Neighbouring lanes use neighbouring memory: one load and store of all lanes, without a mask where rows fill them.
; In the predicated variant the last lanes of a row may be missing.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[L:.*]] = load <4 x float>, ptr addrspace(1) %{{.*}}, align 4
; CHECK: %[[S:.*]] = fadd <4 x float> %[[L]], splat (float 1.000000e+00)
; CHECK: store <4 x float> %[[S]], ptr addrspace(1) %{{.*}}, align 4
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK: %row = icmp ult <4 x i32> <i32 0, i32 1, i32 2, i32 3>, %
; CHECK: call <4 x float> @llvm.masked.load.v4f32.p1(ptr {{.*}}, <4 x i1> %row
; CHECK: call void @llvm.masked.store.v4f32.p1({{.*}}, <4 x i1> %row)
define spir_kernel void @k(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %lid
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fadd float %x, 1.0
  store float %y, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
