; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; (i ^ stride) > i and i & size are asked once for the loop over sub-groups where stride and size are multiples of the
; width; for small strides all lanes do what one of two partners does.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[SIZE:.*]] = and i64 %size, 3
; CHECK: icmp eq i64 %[[SIZE]], 0
; CHECK: %[[STRIDE:.*]] = and i64 %stride, 3
; CHECK: icmp eq i64 %[[STRIDE]], 0
; Partners in the same row, two lanes apart: it is loaded once.
; CHECK: %[[OTHER:.*]] = shufflevector <4 x float> %[[ROW:.*]], <4 x float> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 1>
; CHECK-NEXT: select <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x float> %[[ROW]], <4 x float> %[[OTHER]]
; CHECK-NEXT: select <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x float> %[[OTHER]], <4 x float> %[[ROW]]
; CHECK-NEXT: and i64 %{{.*}}, %size
; CHECK: %[[NEW:.*]] = select <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x float>
; CHECK-NEXT: store <4 x float> %[[NEW]]
; CHECK-NOT: store
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

; Lanes that diverge before the test do not take part in it.
; CHECK-LABEL: define spir_kernel void @parted(
; CHECK-NOT: select <4 x i1> <i1 true, i1 false, i1 true, i1 false>, <4 x float>
; CHECK-LABEL: }
define spir_kernel void @parted(ptr addrspace(1) %data, ptr addrspace(1) %which, i64 %stride) {
entry:
  %i = call i64 @clotho.local_id(i32 0)
  %partner = xor i64 %i, %stride
  %w = getelementptr i8, ptr addrspace(1) %which, i64 %i
  %z = load i8, ptr addrspace(1) %w
  %takes.part = icmp eq i8 %z, 0
  br i1 %takes.part, label %ask, label %end

ask:
  %first = icmp sgt i64 %partner, %i
  br i1 %first, label %then, label %end

then:
  %p = getelementptr float, ptr addrspace(1) %data, i64 %i
  %a = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %data, i64 %partner
  %b = load float, ptr addrspace(1) %q, align 4
  store float %b, ptr addrspace(1) %p, align 4
  store float %a, ptr addrspace(1) %q, align 4
  br label %end

end:
  ret void
}

attributes #0 = { nounwind speculatable willreturn memory(none) }
