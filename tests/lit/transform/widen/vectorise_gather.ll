; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; An index that memory holds: a gather. Bytes, which no CPU gathers, are cut out of the aligned 32 bits around them.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[I:.*]] = load <4 x i32>
; CHECK: %[[P:.*]] = getelementptr float, ptr addrspace(1) %t, <4 x i64> %
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p1({{.*}} %[[P]], <4 x i1> splat (i1 true)
; CHECK: store <4 x float>
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %index, ptr addrspace(1) %t, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %ip = getelementptr i32, ptr addrspace(1) %index, i64 %lid
  %i = load i32, ptr addrspace(1) %ip, align 4
  %z = zext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %t, i64 %z
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %x, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @bytes(
; CHECK: and <4 x i64> %{{.*}}, splat (i64 3)
; CHECK: %[[WHOLE:.*]] = call <4 x i32> @llvm.masked.gather.v4i32
; CHECK: %[[LOW:.*]] = lshr <4 x i32> %[[WHOLE]], %
; CHECK: trunc <4 x i32> %[[LOW]] to <4 x i8>
; CHECK: call void @llvm.masked.scatter.v4i8
; CHECK-LABEL: define internal spir_func void @bytes.predicated(
define spir_kernel void @bytes(ptr addrspace(1) %index, ptr addrspace(1) %t, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %ip = getelementptr i32, ptr addrspace(1) %index, i64 %lid
  %i = load i32, ptr addrspace(1) %ip, align 4
  %z = zext i32 %i to i64
  %p = getelementptr i8, ptr addrspace(1) %t, i64 %z
  %x = load i8, ptr addrspace(1) %p, align 1
  %q = getelementptr i8, ptr addrspace(1) %out, i64 %z
  store i8 %x, ptr addrspace(1) %q, align 1
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
