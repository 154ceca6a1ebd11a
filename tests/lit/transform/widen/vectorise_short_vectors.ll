; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A float2 a lane is one row of memory. What is the same for each element keeps that order; where elements are used
; alone, the row is taken apart into a vector of all x and one of all y, and put together again.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @packed(
; CHECK: %[[ALL:.*]] = load <8 x float>, ptr addrspace(1) %{{.*}}, align 8
; CHECK-NEXT: %[[SQUARE:.*]] = fmul <8 x float> %[[ALL]], %[[ALL]]
; CHECK-NEXT: store <8 x float> %[[SQUARE]]
; CHECK-LABEL: define internal spir_func void @packed.predicated(
define spir_kernel void @packed(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr <2 x float>, ptr addrspace(1) %a, i64 %lid
  %v = load <2 x float>, ptr addrspace(1) %p, align 8
  %w = fmul <2 x float> %v, %v
  store <2 x float> %w, ptr addrspace(1) %p, align 8
  ret void
}

; CHECK-LABEL: define spir_kernel void @apart(
; CHECK: %[[ALL:.*]] = load <8 x float>, ptr addrspace(1) %{{.*}}, align 8
; CHECK: %[[X:.*]] = shufflevector <8 x float> %[[ALL]], <8 x float> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: %[[Y:.*]] = shufflevector <8 x float> %[[ALL]], <8 x float> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK: fadd <4 x float> %[[X]], %[[Y]]
; CHECK: fsub <4 x float> %[[X]], %[[Y]]
; CHECK: shufflevector {{.*}} <8 x i32> <i32 0, i32 4, i32 1, i32 5, i32 2, i32 6, i32 3, i32 7>
; CHECK: store <8 x float>
; CHECK-LABEL: define internal spir_func void @apart.predicated(
define spir_kernel void @apart(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr <2 x float>, ptr addrspace(1) %a, i64 %lid
  %v = load <2 x float>, ptr addrspace(1) %p, align 8
  %x = extractelement <2 x float> %v, i64 0
  %y = extractelement <2 x float> %v, i64 1
  %sum = fadd float %x, %y
  %difference = fsub float %x, %y
  %w0 = insertelement <2 x float> poison, float %sum, i64 0
  %w1 = insertelement <2 x float> %w0, float %difference, i64 1
  store <2 x float> %w1, ptr addrspace(1) %p, align 8
  ret void
}

; CHECK-LABEL: define spir_kernel void @reduced(
; CHECK: load <12 x i16>
; CHECK-COUNT-2: or <4 x i16>
; CHECK-NOT: or <4 x i16>
; CHECK: store <4 x i16>
; CHECK-LABEL: define internal spir_func void @reduced.predicated(
define spir_kernel void @reduced(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %offset = mul i64 %lid, 6
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %offset
  %q = getelementptr i16, ptr addrspace(1) %b, i64 %lid
  %v = load <3 x i16>, ptr addrspace(1) %p, align 2
  %any = call i16 @llvm.vector.reduce.or.v3i16(<3 x i16> %v)
  store i16 %any, ptr addrspace(1) %q, align 2
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
