; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; If pairs of lanes share an element, every element is loaded once, provided that lane 0 is the first of its pair.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @halves(
; CHECK: %[[HALVES:.*]] = lshr <4 x i64> %{{.*}}, splat (i64 1)
; CHECK: add <4 x i64> %{{.*}}, <i64 0, i64 0, i64 1, i64 1>
; CHECK: row{{[0-9]*}}:
; CHECK-NEXT: %[[BOTH:.*]] = load <2 x float>
; CHECK: shufflevector <2 x float> %[[BOTH]], <2 x float> poison, <4 x i32> <i32 0, i32 0, i32 1, i32 1>
; CHECK: gather:
; CHECK-NEXT: call <4 x float> @llvm.masked.gather
; CHECK-LABEL: define internal spir_func void @halves.predicated(
; A pair is loaded if either of its lanes is live.
; CHECK: %[[FIRST:.*]] = shufflevector <4 x i1> %[[LIVE:.*]], <4 x i1> poison, <2 x i32> <i32 0, i32 2>
; CHECK: %[[SECOND:.*]] = shufflevector <4 x i1> %[[LIVE]], <4 x i1> poison, <2 x i32> <i32 1, i32 3>
; CHECK: or <2 x i1> %[[FIRST]], %[[SECOND]]
; CHECK: call <2 x float> @llvm.masked.load
define spir_kernel void @halves(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %first) {
  %lid = call i64 @clotho.local_id(i32 0)
  %x = add i64 %lid, %first
  %half = lshr i64 %x, 1
  %p = getelementptr float, ptr addrspace(1) %in, i64 %half
  %q = getelementptr float, ptr addrspace(1) %out, i64 %lid
  %v = load float, ptr addrspace(1) %p, align 4
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; The second of each pair: what lies between, and behind the last, is not read.
; CHECK-LABEL: define spir_kernel void @seconds(
; CHECK: call <4 x i32> @llvm.masked.load{{.*}}, <4 x i1> <i1 true, i1 false, i1 true, i1 false>
; CHECK: shufflevector <4 x i32> %{{.*}}, <4 x i32> poison, <4 x i32> <i32 0, i32 0, i32 2, i32 2>
; CHECK-LABEL: define internal spir_func void @seconds.predicated(
define spir_kernel void @seconds(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %first) {
  %lid = call i64 @clotho.local_id(i32 0)
  %x = add i64 %lid, %first
  %second = or i64 %x, 1
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %second
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %lid
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

; An element shared by all lanes is not a step. Stores have no steps, because the last storing lane is not known.
; CHECK-LABEL: define spir_kernel void @others(
; CHECK: call <4 x i32> @llvm.masked.gather
; CHECK: call void @llvm.masked.scatter
; CHECK-LABEL: define internal spir_func void @others.predicated(
define spir_kernel void @others(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %first) {
  %lid = call i64 @clotho.local_id(i32 0)
  %x = add i64 %lid, %first
  %eighth = lshr i64 %x, 3
  %half = lshr i64 %x, 1
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %eighth
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %half
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
