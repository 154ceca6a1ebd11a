; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-copies %s | %check
; Copies and fills of known size are loads and stores of the elements that private arrays are accessed by otherwise.

@zeros = internal addrspace(2) constant [256 x i8] zeroinitializer, align 4

declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p0.p2.i64(ptr, ptr addrspace(2), i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @keep(ptr)

; CHECK-LABEL: @loop(
; CHECK: %[[I:.*]] = phi i64 [ 0, %{{.*}} ], [ %[[NEXT:.*]], %{{.*}} ]
; CHECK: %[[FROM:.*]] = getelementptr inbounds float, ptr addrspace(1) %in, i64 %[[I]]
; CHECK-NEXT: %[[V:.*]] = load float, ptr addrspace(1) %[[FROM]], align 4
; CHECK-NEXT: %[[TO:.*]] = getelementptr inbounds float, ptr %a, i64 %[[I]]
; CHECK-NEXT: store float %[[V]], ptr %[[TO]], align 4
; CHECK: %[[NEXT]] = add nuw nsw i64 %[[I]], 1
; CHECK-NEXT: icmp eq i64 %[[NEXT]], 64
; CHECK: ret float
define float @loop(ptr addrspace(1) %in, i64 %k) {
  %a = alloca [64 x float], align 16
  call void @llvm.memcpy.p0.p1.i64(ptr align 16 %a, ptr addrspace(1) align 4 %in, i64 256, i1 false)
  %p = getelementptr [64 x float], ptr %a, i64 0, i64 %k
  %v = load float, ptr %p, align 4
  ret float %v
}

; Short copies have no loop, and load all before they store. Alignments are those of the elements' places.
; CHECK-LABEL: @short(
; CHECK: load <2 x i32>, ptr addrspace(1) %{{.*}}, align 4
; CHECK: load <2 x i32>, ptr addrspace(1) %{{.*}}, align 4
; CHECK: store <2 x i32> %{{.*}}, ptr %{{.*}}, align 16
; CHECK: store <2 x i32> %{{.*}}, ptr %{{.*}}, align 8
; CHECK-NOT: memcpy
; CHECK: ret
define <2 x i32> @short(ptr addrspace(1) %in, i64 %k) {
  %a = alloca [2 x <2 x i32>], align 16
  call void @llvm.memcpy.p0.p1.i64(ptr align 16 %a, ptr addrspace(1) align 4 %in, i64 16, i1 false)
  %p = getelementptr <2 x i32>, ptr %a, i64 %k
  %v = load <2 x i32>, ptr %p, align 8
  ret <2 x i32> %v
}

; An array that is accessed by vectors and by scalars is copied by scalars.
; CHECK-LABEL: @mixed(
; CHECK-COUNT-8: store float 0.000000e+00, ptr
; CHECK-NOT: memset
; CHECK: ret
define float @mixed(i64 %k, <4 x float> %x) {
  %a = alloca [2 x <4 x float>], align 16
  call void @llvm.memset.p0.i64(ptr align 16 %a, i8 0, i64 32, i1 false)
  %p = getelementptr <4 x float>, ptr %a, i64 %k
  store <4 x float> %x, ptr %p, align 16
  %q = getelementptr float, ptr %a, i64 %k
  %v = load float, ptr %q, align 4
  ret float %v
}

; CHECK-LABEL: @bytes(
; CHECK: store i16 257, ptr %{{.*}}, align 2
; CHECK: store i16 257, ptr %{{.*}}, align 2
; CHECK-NOT: memset
; CHECK: ret
define i16 @bytes(i64 %k) {
  %a = alloca [2 x i16], align 2
  call void @llvm.memset.p0.i64(ptr align 2 %a, i8 1, i64 4, i1 false)
  %p = getelementptr i16, ptr %a, i64 %k
  %v = load i16, ptr %p, align 2
  ret i16 %v
}

; Between other memory short copies have the largest integers that are aligned at both places.
; CHECK-LABEL: @structures(
; CHECK-COUNT-3: load i32, ptr addrspace(1)
; CHECK-COUNT-3: store i32 %{{.*}}, ptr addrspace(1)
; CHECK: ret
define void @structures(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) align 4 %out, ptr addrspace(1) align 8 %in, i64 12, i1 false)
  ret void
}

; Long copies between other memory, volatile ones, and those of an array whose address goes elsewhere stay.
; CHECK-LABEL: @stay(
; CHECK: call void @llvm.memcpy.p1.p1.i64(
; CHECK: call void @llvm.memcpy.p1.p0.i64(
; CHECK: call void @llvm.memcpy.p0.p2.i64(
; CHECK: ret
define void @stay(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a = alloca [4 x float], align 4
  %b = alloca [64 x float], align 4
  %v = load float, ptr %a
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 4 %out, ptr addrspace(1) align 4 %in, i64 256, i1 false)
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 4 %out, ptr align 4 %a, i64 16, i1 true)
  call void @llvm.memcpy.p0.p2.i64(ptr align 4 %b, ptr addrspace(2) align 4 @zeros, i64 256, i1 false)
  call void @keep(ptr %b)
  ret void
}
