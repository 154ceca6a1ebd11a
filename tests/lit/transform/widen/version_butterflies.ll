; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; (i ^ stride) > i and i & size are asked once for the loop over sub-groups where stride and size are multiples of the
; width; for small strides the partners are lanes of one row, known by a constant.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[SIZE:.*]] = and i64 %size, 3
; CHECK: icmp eq i64 %[[SIZE]], 0
; CHECK: %[[STRIDE:.*]] = and i64 %stride, 3
; CHECK: icmp eq i64 %[[STRIDE]], 0
; Partners in the same row, two lanes apart: the row is loaded by the masks of the partners.
; CHECK: %[[MASK:.*]] = icmp sgt <4 x i64> %{{.*}}, <i64 0, i64 1, i64 2, i64 3>
; CHECK: %[[OTHERS:.*]] = shufflevector <4 x i1> %{{.*}}, <4 x i1> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
; CHECK-NEXT: %[[ROW:.*]] = call <4 x float> @llvm.masked.load.v4f32.p1({{.*}}, <4 x i1> %[[OTHERS]], <4 x float> poison)
; CHECK-NEXT: shufflevector <4 x float> %[[ROW]], <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
; Beside each other.
; CHECK: phi i64 [ %x
; CHECK: shufflevector <4 x float> %{{.*}}, <4 x float> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
; A row and its partners, without masks.
; CHECK: %[[OWN:.*]] = phi i64 [ %x
; CHECK: %[[PARTNER:.*]] = xor i64 %[[OWN]], %stride
; CHECK: icmp sgt i64 %[[PARTNER]], %[[OWN]]
; CHECK: load <4 x float>, ptr addrspace(1)
; CHECK: load <4 x float>, ptr addrspace(1)
; CHECK: and i64 %{{.*}}, %size
; All else.
; CHECK: phi i64 [ %x
; CHECK: masked.load
define spir_kernel void @k(ptr addrspace(1) %data, i64 %size, i64 %stride) {
entry:
  %i = call i64 @clotho.local_id(i32 0)
  %partner = xor i64 %i, %stride
  %first = icmp sgt i64 %partner, %i
  br i1 %first, label %then, label %end

then:
  %p = getelementptr float, ptr addrspace(1) %data, i64 %i
  %a = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %data, i64 %partner
  %b = load float, ptr addrspace(1) %q, align 4
  %bit = and i64 %i, %size
  %up = icmp eq i64 %bit, 0
  br i1 %up, label %swap, label %end

swap:
  store float %b, ptr addrspace(1) %p, align 4
  store float %a, ptr addrspace(1) %q, align 4
  br label %end

end:
  ret void
}

attributes #0 = { nounwind speculatable willreturn memory(none) }
