; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Every third element: the memory between the first and the last lane's is read at once, but only the elements that a
; lane asks for, and picked apart.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NOT: masked.gather
; CHECK: %[[ROWS:.*]] = call <12 x i32> @llvm.masked.load.v12i32.p1(ptr {{.*}}, <12 x i1> <i1 true, i1 false, i1 false, i1 true,
; CHECK: shufflevector <12 x i32> %[[ROWS]], <12 x i32> poison, <4 x i32> <i32 0, i32 3, i32 6, i32 9>
; CHECK: shufflevector {{.*}} <8 x i32> <i32 0, i32 4, i32 1, i32 5, i32 2, i32 6, i32 3, i32 7>
; CHECK: call void @llvm.masked.store.v8i32.p1({{.*}}, <8 x i1> <i1 true, i1 false, i1 true, i1 false,
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = mul i64 %lid, 3
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %j = shl i64 %lid, 1
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %j
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
