; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=store-elements %s | %check
; RUN: %opt --passes=store-elements-in-arrays %s | %check --check-prefix=ARRAYS
; What is assigned to elements of a vector in memory is stored, and the others are not.

; CHECK-LABEL: @one(
; CHECK: %[[A:.*]] = getelementptr inbounds float, ptr addrspace(1) %p, i64 1
; CHECK-NEXT: store float {{.*}}, ptr addrspace(1) %[[A]], align 4
; CHECK-NOT: store
; CHECK: ret void
define void @one(ptr addrspace(1) %p, float %v) {
  %old = load <4 x float>, ptr addrspace(1) %p, align 16
  %new = insertelement <4 x float> %old, float %v, i64 1
  store <4 x float> %new, ptr addrspace(1) %p, align 16
  ret void
}

; p->xz = v
; CHECK-LABEL: @two(
; CHECK: getelementptr inbounds float, ptr addrspace(1) %p, i64 0
; CHECK-NEXT: store float {{.*}}, align 16
; CHECK: getelementptr inbounds float, ptr addrspace(1) %p, i64 2
; CHECK-NEXT: store float {{.*}}, align 8
; CHECK-NOT: store
; CHECK: ret void
define void @two(ptr addrspace(1) %p, <2 x float> %v) {
  %old = load <4 x float>, ptr addrspace(1) %p, align 16
  %wide = shufflevector <2 x float> %v, <2 x float> poison, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %new = shufflevector <4 x float> %old, <4 x float> %wide, <4 x i32> <i32 4, i32 1, i32 5, i32 3>
  store <4 x float> %new, ptr addrspace(1) %p, align 16
  ret void
}

; p[0][k] = v, in local memory, where other work-items write its neighbours.
; CHECK-LABEL: @anywhere(
; CHECK: %[[K:.*]] = zext i32 %k to i64
; CHECK: %[[A:.*]] = getelementptr inbounds i8, ptr addrspace(3) %p, i64 %[[K]]
; CHECK-NEXT: store volatile i8 %v, ptr addrspace(3) %[[A]], align 1
; CHECK-NEXT: ret void
define void @anywhere(ptr addrspace(3) %p, i8 %v, i32 %k) {
  %old = load volatile <16 x i8>, ptr addrspace(3) %p, align 16
  %new = insertelement <16 x i8> %old, i8 %v, i32 %k
  store volatile <16 x i8> %new, ptr addrspace(3) %p, align 16
  ret void
}

; All elements are assigned to; a vector of three has an undefined fourth; another vector changes places.
; CHECK-LABEL: @whole(
; CHECK: store <2 x i32> {{.*}}, ptr addrspace(1) %p
; CHECK: store <4 x i32> {{.*}}, ptr addrspace(1) %q
; CHECK: store <2 x i32> {{.*}}, ptr addrspace(1) %p
; CHECK-NEXT: ret void
define void @whole(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %v, <3 x i32> %three) {
  %old = load <2 x i32>, ptr addrspace(1) %p
  %half = insertelement <2 x i32> %old, i32 %v, i64 0
  %new = insertelement <2 x i32> %half, i32 %v, i64 1
  store <2 x i32> %new, ptr addrspace(1) %p
  %four = shufflevector <3 x i32> %three, <3 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
  store <4 x i32> %four, ptr addrspace(1) %q
  %now = load <2 x i32>, ptr addrspace(1) %p
  %turned = shufflevector <2 x i32> %now, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  store <2 x i32> %turned, ptr addrspace(1) %p
  ret void
}

; These stay: a variable that does not escape; a write in between; a vector from elsewhere.
; CHECK-LABEL: @others(
; CHECK: store <4 x i32> {{.*}}, ptr %a
; CHECK: store <4 x i32> {{.*}}, ptr addrspace(1) %p
; CHECK: store <4 x i32> {{.*}}, ptr addrspace(1) %p
define void @others(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %v) {
  %a = alloca <4 x i32>
  %mine = load <4 x i32>, ptr %a
  %changed = insertelement <4 x i32> %mine, i32 %v, i64 0
  store <4 x i32> %changed, ptr %a
  %old = load <4 x i32>, ptr addrspace(1) %p
  store i32 1, ptr addrspace(1) %q
  %new = insertelement <4 x i32> %old, i32 %v, i64 0
  store <4 x i32> %new, ptr addrspace(1) %p
  %other = load <4 x i32>, ptr addrspace(1) %q
  %here = insertelement <4 x i32> %other, i32 %v, i64 0
  store <4 x i32> %here, ptr addrspace(1) %p
  ret void
}

; In private memory only on request, and not for a variable that may be in a register.
; CHECK-LABEL: @private(
; CHECK: store <2 x i32> {{.*}}, ptr %element
; CHECK: store <2 x i32> {{.*}}, ptr %variable
; ARRAYS-LABEL: @private(
; ARRAYS: %[[SECOND:.*]] = getelementptr inbounds i32, ptr %element, i64 1
; ARRAYS-NEXT: store i32 %v, ptr %[[SECOND]], align 4
; ARRAYS: store <2 x i32> {{.*}}, ptr %variable
define i32 @private(i64 %i, i32 %v) {
  %array = alloca [4 x <2 x i32>], align 8
  %variable = alloca <2 x i32>, align 8
  %element = getelementptr [4 x <2 x i32>], ptr %array, i64 0, i64 %i
  %old = load <2 x i32>, ptr %element, align 8
  %new = insertelement <2 x i32> %old, i32 %v, i64 1
  store <2 x i32> %new, ptr %element, align 8
  %before = load <2 x i32>, ptr %variable, align 8
  %after = insertelement <2 x i32> %before, i32 %v, i64 1
  store <2 x i32> %after, ptr %variable, align 8
  ret i32 0
}
