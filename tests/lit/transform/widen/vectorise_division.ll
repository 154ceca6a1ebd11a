; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Integers of 32 bits are divided by way of double, those of 16 by way of float, which is exact. For 64 bits there is no
; such way; lanes that are not live divide by 1 then.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @thirtyTwo(
; CHECK-NOT: {{[us]div|[us]rem}}
; CHECK-DAG: uitofp <4 x i32> %{{.*}} to <4 x double>
; CHECK-DAG: uitofp <4 x i32> %{{.*}} to <4 x double>
; CHECK: %[[Q:.*]] = fdiv <4 x double>
; CHECK: fptosi <4 x double> %[[Q]] to <4 x i64>
; CHECK-NOT: {{[us]div|[us]rem}}
; CHECK: store <4 x i32>
; CHECK-LABEL: define internal spir_func void @thirtyTwo.predicated(
define spir_kernel void @thirtyTwo(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %lid
  %y = load i32, ptr addrspace(1) %q, align 4
  %z = udiv i32 %x, %y
  store i32 %z, ptr addrspace(1) %p, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @sixteen(
; CHECK-DAG: sitofp <4 x i16> %{{.*}} to <4 x float>
; CHECK: %[[Q:.*]] = fdiv <4 x float>
; CHECK: fptosi <4 x float> %[[Q]] to <4 x i32>
; CHECK: mul <4 x i16>
; CHECK: sub <4 x i16>
; CHECK-LABEL: define internal spir_func void @sixteen.predicated(
define spir_kernel void @sixteen(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i16, ptr addrspace(1) %a, i64 %lid
  %x = load i16, ptr addrspace(1) %p, align 2
  %q = getelementptr i16, ptr addrspace(1) %b, i64 %lid
  %y = load i16, ptr addrspace(1) %q, align 2
  %z = srem i16 %x, %y
  store i16 %z, ptr addrspace(1) %p, align 2
  ret void
}

; CHECK-LABEL: define spir_kernel void @sixtyFour(
; CHECK: udiv <4 x i64> %[[X:.*]], %[[Y:.*]]
; CHECK-LABEL: define internal spir_func void @sixtyFour.predicated(
; CHECK: %[[SAFE:.*]] = select <4 x i1> %row, <4 x i64> %{{.*}}, <4 x i64> splat (i64 1)
; CHECK: udiv <4 x i64> %{{.*}}, %[[SAFE]]
define spir_kernel void @sixtyFour(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %lid
  %x = load i64, ptr addrspace(1) %p, align 8
  %q = getelementptr i64, ptr addrspace(1) %b, i64 %lid
  %y = load i64, ptr addrspace(1) %q, align 8
  %z = udiv i64 %x, %y
  store i64 %z, ptr addrspace(1) %p, align 8
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
