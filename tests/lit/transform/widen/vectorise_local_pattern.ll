; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; 2 * lid - (lid & 1): of 8 elements, lanes have 0, 1, 4, 5, and with 2 more the others. Rows and shuffles do it.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @pairs(
; CHECK: %[[LOW:.*]] = load <4 x float>
; CHECK: %[[HIGH:.*]] = load <4 x float>
; CHECK: %[[BOTH:.*]] = shufflevector <4 x float> %[[LOW]], <4 x float> %[[HIGH]], <8 x i32>
; CHECK: shufflevector <8 x float> %[[BOTH]], <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
; CHECK: shufflevector <8 x float> %{{.*}}, <8 x float> poison, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
; Both stores together fill two rows.
; CHECK: shufflevector <8 x float> %{{.*}}, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
; CHECK: store <4 x float>
; CHECK: shufflevector <8 x float> %{{.*}}, <8 x float> poison, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
; CHECK: store <4 x float>
; CHECK-NOT: masked
; CHECK: ret void
define spir_kernel void @pairs(ptr addrspace(3) %data) !reqd_work_group_size !0 {
  %lid = call i64 @clotho.local_id(i32 0)
  %twice = shl i64 %lid, 1
  %low = and i64 %lid, 1
  %i = sub i64 %twice, %low
  %j = add i64 %i, 2
  %p = getelementptr float, ptr addrspace(3) %data, i64 %i
  %q = getelementptr float, ptr addrspace(3) %data, i64 %j
  %a = load float, ptr addrspace(3) %p
  %b = load float, ptr addrspace(3) %q
  store float %b, ptr addrspace(3) %p
  store float %a, ptr addrspace(3) %q
  ret void
}

; By ints: bits that the first lane's number leaves free carry nothing, so that no lane's index wraps around alone.
; CHECK-LABEL: define spir_kernel void @by_ints(
; CHECK: %[[BASE:.*]] = sub i32
; CHECK: zext i32 %[[BASE]] to i64
; CHECK: shufflevector <8 x float> %{{.*}}, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
; CHECK: shufflevector <8 x float> %{{.*}}, <8 x float> poison, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
; CHECK-NOT: masked
; CHECK: ret void
define spir_kernel void @by_ints(ptr addrspace(3) %data) !reqd_work_group_size !0 {
  %lid = call i64 @clotho.local_id(i32 0)
  %l = trunc i64 %lid to i32
  %twice = shl i32 %l, 1
  %low = and i32 %l, 1
  %i = sub nsw i32 %twice, %low
  %j = add i32 %i, 2
  %i64 = zext i32 %i to i64
  %j64 = zext i32 %j to i64
  %p = getelementptr float, ptr addrspace(3) %data, i64 %i64
  %q = getelementptr float, ptr addrspace(3) %data, i64 %j64
  %a = load float, ptr addrspace(3) %p
  %b = load float, ptr addrspace(3) %q
  store float %b, ptr addrspace(3) %p
  store float %a, ptr addrspace(3) %q
  ret void
}

; l / 2 * 4 + l % 2, as LLVM writes it.
; CHECK-LABEL: define spir_kernel void @by_bits(
; CHECK: shufflevector <8 x float> %{{.*}}, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
; CHECK-NOT: gather
; CHECK: ret void
define spir_kernel void @by_bits(ptr addrspace(3) %data, ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %lid = call i64 @clotho.local_id(i32 0)
  %twice = shl i64 %lid, 1
  %high = and i64 %twice, 4294967292
  %low = and i64 %lid, 1
  %i = or disjoint i64 %high, %low
  %p = getelementptr float, ptr addrspace(3) %data, i64 %i
  %a = load float, ptr addrspace(3) %p
  %q = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %a, ptr addrspace(1) %q
  ret void
}

; Two elements before, so that some lanes have places in the row before the first lane's.
; CHECK-LABEL: define spir_kernel void @rows_before(
; CHECK: load <4 x float>
; CHECK: load <4 x float>
; CHECK: shufflevector <8 x float> %{{.*}}, <8 x float> poison, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
; CHECK-NOT: gather
; CHECK: ret void
define spir_kernel void @rows_before(ptr addrspace(3) %data, ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %lid = call i64 @clotho.local_id(i32 0)
  %l = trunc i64 %lid to i32
  %twice = shl i32 %l, 1
  %low = and i32 %l, 1
  %pos = sub nsw i32 %twice, %low
  %i = add i32 %pos, -2
  %i64 = zext i32 %i to i64
  %p = getelementptr float, ptr addrspace(3) %data, i64 %i64
  %a = load float, ptr addrspace(3) %p
  %q = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %a, ptr addrspace(1) %q
  ret void
}

; Global memory has no margins that rows may reach into.
; CHECK-LABEL: define spir_kernel void @global(
; CHECK: call <4 x float> @llvm.masked.gather
define spir_kernel void @global(ptr addrspace(1) %data, ptr addrspace(1) %out) !reqd_work_group_size !0 {
  %lid = call i64 @clotho.local_id(i32 0)
  %twice = shl i64 %lid, 1
  %low = and i64 %lid, 1
  %i = sub i64 %twice, %low
  %p = getelementptr float, ptr addrspace(1) %data, i64 %i
  %a = load float, ptr addrspace(1) %p
  %q = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %a, ptr addrspace(1) %q
  ret void
}

; Two lanes in one place: which comes last, or whether it is live, is not for a shuffle to say.
; CHECK-LABEL: define spir_kernel void @shared(
; CHECK: call void @llvm.masked.scatter
define spir_kernel void @shared(ptr addrspace(3) %data, float %a) !reqd_work_group_size !0 {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = and i64 %lid, 2
  %p = getelementptr float, ptr addrspace(3) %data, i64 %i
  store float %a, ptr addrspace(3) %p
  ret void
}

attributes #0 = { nounwind speculatable willreturn memory(none) }
!0 = !{i32 8, i32 1, i32 1}
