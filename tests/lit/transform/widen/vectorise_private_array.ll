; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A private array is interleaved by lane: the same index in all lanes is one row, another in each a gather.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %array = alloca [16 x <4 x i32>], align 16
; CHECK: %[[ROW:.*]] = getelementptr <4 x i32>, ptr %array, i32 %{{.*}}
; CHECK: store <4 x i32> %{{.*}}, ptr %[[ROW]], align 16
; CHECK: %[[AT:.*]] = getelementptr i32, ptr %array, <4 x i64> %
; CHECK: call <4 x i32> @llvm.masked.gather.v4i32.v4p0({{.*}}%[[AT]]
; In the predicated variant, lanes that are not there keep what they have.
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK: %[[ROW:.*]] = getelementptr <4 x i32>, ptr %array, i32 %{{.*}}
; CHECK: %[[OLD:.*]] = load <4 x i32>, ptr %[[ROW]], align 16
; CHECK: %[[NEW:.*]] = select <4 x i1> %row, <4 x i32> %{{.*}}, <4 x i32> %[[OLD]]
; CHECK: store <4 x i32> %[[NEW]], ptr %[[ROW]], align 16
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
  %array = alloca [16 x i32], align 4
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %there = getelementptr [16 x i32], ptr %array, i64 0, i32 %n
  store i32 %x, ptr %there, align 4
  %i = and i32 %x, 7
  %here = getelementptr [16 x i32], ptr %array, i64 0, i32 %i
  %y = load i32, ptr %here, align 4
  store i32 %y, ptr addrspace(1) %p, align 4
  ret void
}

; An index of bytes that is a multiple of elements names the same row; one that is not leaves the array as it is.
; CHECK-LABEL: define spir_kernel void @bytes(
; CHECK: %array = alloca [16 x <4 x i32>], align 16
; CHECK: %other = alloca [256 x i8], align 4
define spir_kernel void @bytes(ptr addrspace(1) %a, i64 %n) {
  %array = alloca [16 x i32], align 4
  %other = alloca [64 x i8], align 4
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %row = mul nuw nsw i64 %n, 12
  %there = getelementptr i8, ptr %array, i64 %row
  store i32 %x, ptr %there, align 4
  %even = shl i64 %n, 1
  %between = getelementptr i8, ptr %other, i64 %even
  store i32 %x, ptr %between, align 2
  %next = shl i64 %n, 2
  %here = getelementptr i8, ptr %array, i64 %next
  %y = load i32, ptr %here, align 4
  %z = load i32, ptr %other, align 4
  %sum = add i32 %y, %z
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
