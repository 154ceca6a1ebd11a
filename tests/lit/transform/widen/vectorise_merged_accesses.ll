; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Loads of neighbouring members become one row of memory for all lanes, also past a store to another member of the same
; struct; a store to somewhere else keeps them apart. What the program defines as constant no store changes.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @members(
; CHECK: %[[ALL:.*]] = load <8 x float>
; CHECK-NOT: load
; CHECK: fadd <4 x float>
; CHECK-LABEL: define internal spir_func void @members.predicated(
define spir_kernel void @members(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr { float, float }, ptr addrspace(1) %a, i64 %lid
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %x = load float, ptr addrspace(1) %p, align 4
  store float 0.0, ptr addrspace(1) %p, align 4
  %y = load float, ptr addrspace(1) %q, align 4
  %sum = fadd float %x, %y
  %o = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %sum, ptr addrspace(1) %o, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @table_between(
; CHECK: call <4 x i32> @llvm.masked.gather
; CHECK: call <4 x i32> @llvm.masked.gather
; CHECK-NOT: scatter
; CHECK-NOT: masked.store
; CHECK: store <8 x i8>
; CHECK-LABEL: define internal spir_func void @table_between.predicated(
@table = internal addrspace(2) constant [4 x i8] c"0123"
define spir_kernel void @table_between(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %lid
  %byte = load i8, ptr addrspace(1) %p, align 1
  %low = and i8 %byte, 3
  %high = lshr i8 %byte, 6
  %i = zext nneg i8 %low to i64
  %j = zext nneg i8 %high to i64
  %from = getelementptr i8, ptr addrspace(2) @table, i64 %i
  %other = getelementptr i8, ptr addrspace(2) @table, i64 %j
  %o = getelementptr [2 x i8], ptr addrspace(1) %out, i64 %lid
  %next = getelementptr i8, ptr addrspace(1) %o, i64 1
  %x = load i8, ptr addrspace(2) %from, align 1
  store i8 %x, ptr addrspace(1) %o, align 1
  %y = load i8, ptr addrspace(2) %other, align 1
  store i8 %y, ptr addrspace(1) %next, align 1
  ret void
}

; CHECK-LABEL: define spir_kernel void @written_between(
; CHECK: call <8 x float> @llvm.masked.load
; CHECK: store <4 x float>
; CHECK: call <8 x float> @llvm.masked.load
; CHECK-LABEL: define internal spir_func void @written_between.predicated(
define spir_kernel void @written_between(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr { float, float }, ptr addrspace(1) %a, i64 %lid
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  %o = getelementptr float, ptr addrspace(1) %out, i64 %lid
  %x = load float, ptr addrspace(1) %p, align 4
  store float %x, ptr addrspace(1) %o, align 4
  %y = load float, ptr addrspace(1) %q, align 4
  %sum = fadd float %x, %y
  store float %sum, ptr addrspace(1) %o, align 4
  ret void
}

; Stores stand where the last of them was, with the address of the first: what that of the last was made of is gone, and
; is not kept across barriers either.
; CHECK-LABEL: define spir_kernel void @stores(
; CHECK-NOT: add i64 %{{.*}}, 1
; CHECK: %[[FIRST:.*]] = getelementptr float, ptr addrspace(1) %out, i64 %[[INDEX:.*]]
; CHECK-NOT: add i64 %[[INDEX]], 1
; CHECK: store <8 x float> {{.*}}, ptr addrspace(1) %[[FIRST]]
; CHECK-LABEL: define internal spir_func void @stores.predicated(
define spir_kernel void @stores(ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %index = shl i64 %lid, 1
  %next = add i64 %index, 1
  %p = getelementptr float, ptr addrspace(1) %out, i64 %index
  %q = getelementptr float, ptr addrspace(1) %out, i64 %next
  store float 1.0, ptr addrspace(1) %p, align 4
  store float 2.0, ptr addrspace(1) %q, align 4
  ret void
}

; A load from another address space is not in the way of stores.
; CHECK-LABEL: define spir_kernel void @elsewhere(
; CHECK-NOT: masked
; CHECK: store <8 x float>
; CHECK-NOT: store
; CHECK-LABEL: define internal spir_func void @elsewhere.predicated(
define spir_kernel void @elsewhere(ptr addrspace(3) %t, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr { float, float }, ptr addrspace(3) %t, i64 %lid
  %p.1 = getelementptr i8, ptr addrspace(3) %p, i64 4
  %q = getelementptr { float, float }, ptr addrspace(1) %out, i64 %lid
  %q.1 = getelementptr i8, ptr addrspace(1) %q, i64 4
  %y = load float, ptr addrspace(3) %p.1, align 4
  store float %y, ptr addrspace(1) %q, align 4
  %x = load float, ptr addrspace(3) %p, align 4
  store float %x, ptr addrspace(1) %q.1, align 4
  ret void
}

; It may be, through a generic pointer.
; CHECK-LABEL: define spir_kernel void @anywhere(
; CHECK-NOT: store <8 x float>
; CHECK-LABEL: define internal spir_func void @anywhere.predicated(
define spir_kernel void @anywhere(ptr addrspace(4) %t, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr { float, float }, ptr addrspace(4) %t, i64 %lid
  %p.1 = getelementptr i8, ptr addrspace(4) %p, i64 4
  %q = getelementptr { float, float }, ptr addrspace(1) %out, i64 %lid
  %q.1 = getelementptr i8, ptr addrspace(1) %q, i64 4
  %y = load float, ptr addrspace(4) %p.1, align 4
  store float %y, ptr addrspace(1) %q, align 4
  %x = load float, ptr addrspace(4) %p, align 4
  store float %x, ptr addrspace(1) %q.1, align 4
  ret void
}

; Promises that all parts make are the vector's, and others are not.
; CHECK-LABEL: define spir_kernel void @promises(
; CHECK: add nsw <8 x i32>
; CHECK: mul <8 x i32>
; CHECK: call <8 x i32> @llvm.abs.v8i32(<8 x i32> %{{.*}}, i1 false)
; CHECK: store <8 x i32>
; CHECK-LABEL: define internal spir_func void @promises.predicated(
define spir_kernel void @promises(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr [2 x i32], ptr addrspace(1) %in, i64 %lid
  %p.1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %q = getelementptr [2 x i32], ptr addrspace(1) %out, i64 %lid
  %q.1 = getelementptr i8, ptr addrspace(1) %q, i64 4
  %x = load i32, ptr addrspace(1) %p, align 4
  %y = load i32, ptr addrspace(1) %p.1, align 4
  %x1 = add nuw nsw i32 %x, 1
  %y1 = add nsw i32 %y, 2
  %x2 = mul nsw i32 %x1, %n
  %y2 = mul i32 %y1, %n
  %x3 = call i32 @llvm.abs.i32(i32 %x2, i1 false)
  %y3 = call i32 @llvm.abs.i32(i32 %y2, i1 false)
  store i32 %x3, ptr addrspace(1) %q, align 4
  store i32 %y3, ptr addrspace(1) %q.1, align 4
  ret void
}

; What is tried in vain leaves nothing: there are no vectors of vectors, and one part is loaded from anywhere.
; CHECK-LABEL: define spir_kernel void @in_vain(
; CHECK-NOT: <2 x i32>
; CHECK: store <8 x i32>
; CHECK-LABEL: define internal spir_func void @in_vain.predicated(
define spir_kernel void @in_vain(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr <4 x i8>, ptr addrspace(1) %in, i64 %lid
  %q = getelementptr [2 x i32], ptr addrspace(1) %out, i64 %lid
  %q.1 = getelementptr i8, ptr addrspace(1) %q, i64 4
  %v = load <4 x i8>, ptr addrspace(1) %p, align 4
  %v1 = add <4 x i8> %v, splat (i8 1)
  %v2 = add <4 x i8> %v, splat (i8 2)
  %x = bitcast <4 x i8> %v1 to i32
  %y = bitcast <4 x i8> %v2 to i32
  %x1 = mul i32 %n, %x
  %y1 = mul i32 %n, %y
  store i32 %x1, ptr addrspace(1) %q, align 4
  store i32 %y1, ptr addrspace(1) %q.1, align 4
  ret void
}

; Rounds of a loop that are computed alike are one vector, in the order of memory.
; CHECK-LABEL: define spir_kernel void @alike(
; CHECK: %[[ALL:.*]] = load <16 x float>
; CHECK-NOT: shufflevector
; CHECK: %[[MADE:.*]] = fmul <16 x float> %[[ALL]], splat (float 2.000000e+00)
; CHECK-NEXT: {{.*}}store <16 x float> %[[MADE]]
; CHECK-LABEL: define internal spir_func void @alike.predicated(
define spir_kernel void @alike(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr [4 x float], ptr addrspace(1) %in, i64 %lid
  %p.1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %p.2 = getelementptr i8, ptr addrspace(1) %p, i64 8
  %p.3 = getelementptr i8, ptr addrspace(1) %p, i64 12
  %q = getelementptr [4 x float], ptr addrspace(1) %out, i64 %lid
  %q.1 = getelementptr i8, ptr addrspace(1) %q, i64 4
  %q.2 = getelementptr i8, ptr addrspace(1) %q, i64 8
  %q.3 = getelementptr i8, ptr addrspace(1) %q, i64 12
  %x = load float, ptr addrspace(1) %p, align 4
  %x2 = fmul float %x, 2.0
  store float %x2, ptr addrspace(1) %q, align 4
  %y = load float, ptr addrspace(1) %p.1, align 4
  %y2 = fmul float %y, 2.0
  store float %y2, ptr addrspace(1) %q.1, align 4
  %z = load float, ptr addrspace(1) %p.2, align 4
  %z2 = fmul float %z, 2.0
  store float %z2, ptr addrspace(1) %q.2, align 4
  %w = load float, ptr addrspace(1) %p.3, align 4
  %w2 = fmul float %w, 2.0
  store float %w2, ptr addrspace(1) %q.3, align 4
  ret void
}

; All of what lies between one lane's and the next's, if it is no power of two either.
; CHECK-LABEL: define spir_kernel void @three(
; CHECK: load <12 x float>
; CHECK-NOT: load
; CHECK: store <12 x float>
; CHECK-NOT: store
; CHECK-LABEL: define internal spir_func void @three.predicated(
define spir_kernel void @three(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr [3 x float], ptr addrspace(1) %in, i64 %lid
  %p.1 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %p.2 = getelementptr i8, ptr addrspace(1) %p, i64 8
  %q = getelementptr [3 x float], ptr addrspace(1) %out, i64 %lid
  %q.1 = getelementptr i8, ptr addrspace(1) %q, i64 4
  %q.2 = getelementptr i8, ptr addrspace(1) %q, i64 8
  %x = load float, ptr addrspace(1) %p, align 4
  %y = load float, ptr addrspace(1) %p.1, align 4
  %z = load float, ptr addrspace(1) %p.2, align 4
  store float %y, ptr addrspace(1) %q, align 4
  store float %z, ptr addrspace(1) %q.1, align 4
  store float %x, ptr addrspace(1) %q.2, align 4
  ret void
}

; Unsigned indices of 32 bits that may wrap around between neighbours: who accesses both would be out of bounds then, unless
; a buffer is very large. The exact variant runs for those.
; CHECK-LABEL: define spir_kernel void @indices_that_may_wrap(
; CHECK-SAME: !clotho.facts ![[FACTS:[0-9]+]]
; CHECK: load <12 x float>
; CHECK-NOT: load
; CHECK: store <12 x float>
; CHECK-NOT: store
; CHECK-LABEL: define internal spir_func void @indices_that_may_wrap.predicated(
; CHECK: ![[FACTS]] = {{.*}}!"largest-memory", i64 16911433728
define spir_kernel void @indices_that_may_wrap(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %own = mul i64 %lid, 3
  %i = trunc i64 %own to i32
  %j = add i32 %i, 1
  %k = add i32 %j, 1
  %x.at = zext i32 %i to i64
  %y.at = zext i32 %j to i64
  %z.at = zext i32 %k to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %x.at
  %p.1 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %y.at
  %p.2 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %z.at
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %x.at
  %q.1 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %y.at
  %q.2 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %z.at
  %x = load float, ptr addrspace(1) %p, align 4
  %y = load float, ptr addrspace(1) %p.1, align 4
  %z = load float, ptr addrspace(1) %p.2, align 4
  store float %y, ptr addrspace(1) %q, align 4
  store float %z, ptr addrspace(1) %q.1, align 4
  store float %x, ptr addrspace(1) %q.2, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
