; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Each lane reads chunks of 8 bytes of its own row: they are loaded in pairs, of the first and third lane and of the
; second and fourth side by side, so that one shuffle combines all lanes.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-COUNT-4: load <2 x i64>, ptr addrspace(1)
; CHECK: shufflevector <4 x i64> %{{.*}}, <4 x i64> %{{.*}}, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
; CHECK: shufflevector <4 x i64> %{{.*}}, <4 x i64> %{{.*}}, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
; CHECK-NOT: load
; CHECK: add <8 x i32>
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %rows, ptr addrspace(1) %out, i64 %columns) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %begin = mul i64 %lid, %columns
  %p = getelementptr <2 x i32>, ptr addrspace(1) %rows, i64 %begin
  %q = getelementptr i8, ptr addrspace(1) %p, i64 8
  %a = load <2 x i32>, ptr addrspace(1) %p, align 8
  %b = load <2 x i32>, ptr addrspace(1) %q, align 8
  %sum = add <2 x i32> %a, %b
  %o = getelementptr <2 x i32>, ptr addrspace(1) %out, i64 %lid
  store <2 x i32> %sum, ptr addrspace(1) %o, align 8
  ret void
}

; What is between the loads may write there: nothing is loaded later than it was.
; CHECK-LABEL: define spir_kernel void @written(
; CHECK-NOT: load <2 x i64>
; CHECK-LABEL: define internal spir_func void @written.predicated(
define spir_kernel void @written(ptr addrspace(1) %rows, ptr addrspace(1) %out, i64 %columns) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %begin = mul i64 %lid, %columns
  %p = getelementptr <4 x i32>, ptr addrspace(1) %rows, i64 %begin
  %o = getelementptr <2 x i32>, ptr addrspace(1) %out, i64 %lid
  %both = load <4 x i32>, ptr addrspace(1) %p, align 8
  %a = shufflevector <4 x i32> %both, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %a, ptr addrspace(1) %o, align 8
  %b = shufflevector <4 x i32> %both, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %more = getelementptr i8, ptr addrspace(1) %o, i64 1024
  store <2 x i32> %b, ptr addrspace(1) %more, align 8
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
