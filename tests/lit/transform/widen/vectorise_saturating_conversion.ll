; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Saturating conversions are spelled out, for code generation would do them one by one.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

declare i8 @llvm.fptoui.sat.i8.f32(float)

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: fcmp ogt <4 x float> %[[X:.*]], zeroinitializer
; CHECK: fcmp olt <4 x float> %{{.*}}, splat (float 2.550000e+02)
; CHECK: fptosi <4 x float> %{{.*}} to <4 x i32>
; CHECK: trunc <4 x i32> %{{.*}} to <4 x i8>
; CHECK-NOT: llvm.fptoui.sat
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %lid
  %x = load float, ptr addrspace(1) %p, align 4
  %y = call i8 @llvm.fptoui.sat.i8.f32(float %x)
  %o = getelementptr i8, ptr addrspace(1) %out, i64 %lid
  store i8 %y, ptr addrspace(1) %o, align 1
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
