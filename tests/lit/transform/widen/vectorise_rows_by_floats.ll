; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A coordinate that is scaled and scaled back may go on by one: it is asked for, and gathered only where it does not. One
; that is multiplied by what differs between lanes is gathered.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare float @llvm.floor.f32(float)

; CHECK-LABEL: define spir_kernel void @scaled(
; CHECK: %[[INDEX:.*]] = fptosi <4 x float> %{{.*}} to <4 x i32>
; CHECK: icmp ne <4 x i32> %[[INDEX]],
; CHECK: br i1
; CHECK: load <4 x i32>
; CHECK: call <4 x i32> @llvm.masked.gather
define spir_kernel void @scaled(ptr addrspace(1) %out, ptr addrspace(1) %in, float %inverse, float %size) {
  %lid = call i64 @clotho.local_id(i32 0)
  %x = uitofp i64 %lid to float
  %middle = fadd float %x, 5.000000e-01
  %normalised = fmul float %middle, %inverse
  %texels = fmul float %normalised, %size
  %down = call float @llvm.floor.f32(float %texels)
  %index = fptosi float %down to i32
  %far = sext i32 %index to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %far
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %lid
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @squared(
; CHECK-NOT: icmp ne <4 x i32>
; CHECK: call <4 x i32> @llvm.masked.gather
define spir_kernel void @squared(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %lid = call i64 @clotho.local_id(i32 0)
  %x = uitofp i64 %lid to float
  %square = fmul float %x, %x
  %index = fptosi float %square to i32
  %far = sext i32 %index to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %far
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %lid
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
