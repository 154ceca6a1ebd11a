; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise %s | %check
; Rows of four numbers a lane come register by register, and even and odd elements of two registers, of these again, are
; what all lanes have of each: eight shuffles, each of two registers.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @four(
; CHECK: %[[A:.*]] = load <16 x i32>, ptr addrspace(1) %{{.*}}, align 16
; CHECK: %[[B:.*]] = load <16 x i32>, ptr addrspace(1) %{{.*}}, align 16
; CHECK: %[[C:.*]] = load <16 x i32>, ptr addrspace(1) %{{.*}}, align 16
; CHECK: %[[D:.*]] = load <16 x i32>, ptr addrspace(1) %{{.*}}, align 16
; CHECK: %[[AB0:.*]] = shufflevector <16 x i32> %[[A]], <16 x i32> %[[B]], <16 x i32> <i32 0, i32 2, {{.*}}i32 28, i32 30>
; CHECK: %[[CD0:.*]] = shufflevector <16 x i32> %[[C]], <16 x i32> %[[D]], <16 x i32> <i32 0, i32 2, {{.*}}i32 28, i32 30>
; CHECK: %[[AB1:.*]] = shufflevector <16 x i32> %[[A]], <16 x i32> %[[B]], <16 x i32> <i32 1, i32 3, {{.*}}i32 29, i32 31>
; CHECK: %[[CD1:.*]] = shufflevector <16 x i32> %[[C]], <16 x i32> %[[D]], <16 x i32> <i32 1, i32 3, {{.*}}i32 29, i32 31>
; CHECK: %[[X:.*]] = shufflevector <16 x i32> %[[AB0]], <16 x i32> %[[CD0]], <16 x i32> <i32 0, i32 2, {{.*}}i32 30>
; CHECK: %[[Y:.*]] = shufflevector <16 x i32> %[[AB1]], <16 x i32> %[[CD1]], <16 x i32> <i32 0, i32 2, {{.*}}i32 30>
; CHECK: %[[Z:.*]] = shufflevector <16 x i32> %[[AB0]], <16 x i32> %[[CD0]], <16 x i32> <i32 1, i32 3, {{.*}}i32 31>
; CHECK: %[[W:.*]] = shufflevector <16 x i32> %[[AB1]], <16 x i32> %[[CD1]], <16 x i32> <i32 1, i32 3, {{.*}}i32 31>
; CHECK-NOT: shufflevector
; CHECK: add <16 x i32> %[[X]], %[[Y]]
; CHECK: sub <16 x i32> %{{.*}}, %[[Z]]
; CHECK: xor <16 x i32> %{{.*}}, %[[W]]
; CHECK-LABEL: define internal spir_func void @four.predicated(
define spir_kernel void @four(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr <4 x i32>, ptr addrspace(1) %a, i64 %lid
  %v = load <4 x i32>, ptr addrspace(1) %p, align 16
  %x = extractelement <4 x i32> %v, i64 0
  %y = extractelement <4 x i32> %v, i64 1
  %z = extractelement <4 x i32> %v, i64 2
  %w = extractelement <4 x i32> %v, i64 3
  %xy = add i32 %x, %y
  %xyz = sub i32 %xy, %z
  %all = xor i32 %xyz, %w
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %lid
  store i32 %all, ptr addrspace(1) %o, align 4
  ret void
}

; Fewer lanes than a register has elements are one row.
; CHECK-LABEL: define spir_kernel void @bytes(
; CHECK: load <64 x i8>
; CHECK-LABEL: define internal spir_func void @bytes.predicated(
define spir_kernel void @bytes(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr <4 x i8>, ptr addrspace(1) %a, i64 %lid
  %v = load <4 x i8>, ptr addrspace(1) %p, align 4
  %x = extractelement <4 x i8> %v, i64 0
  %w = extractelement <4 x i8> %v, i64 3
  %all = xor i8 %x, %w
  %o = getelementptr i8, ptr addrspace(1) %out, i64 %lid
  store i8 %all, ptr addrspace(1) %o, align 1
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
