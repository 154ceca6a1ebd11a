; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt "--passes=vectorise-4,function(instcombine)" %s | %check
; Lanes that change one place do so at once: with the values of all, as if one after the other.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; Four ones, and each lane finds how many there were before it.
; CHECK-LABEL: define spir_kernel void @tickets(
; CHECK: %[[OLD:.*]] = atomicrmw add ptr addrspace(1) %counter, i32 4 monotonic
; CHECK-NOT: atomicrmw
; CHECK: %[[ALL:.*]] = shufflevector <4 x i32>
; CHECK: %[[OWN:.*]] = add <4 x i32> %[[ALL]], <i32 0, i32 1, i32 2, i32 3>
; CHECK: store <4 x i32> %[[OWN]]
; CHECK-LABEL: define internal spir_func void @tickets.predicated(
define spir_kernel void @tickets(ptr addrspace(1) %a, ptr addrspace(1) %counter) {
  %lid = call i64 @clotho.local_id(i32 0)
  %old = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 %old, ptr addrspace(1) %p, align 4
  ret void
}

; How many lanes are live.
; CHECK-LABEL: define spir_kernel void @divergent(
; CHECK: %[[LIVE:.*]] = icmp slt <4 x i32>
; CHECK: then:
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %{{.*}} to i4
; CHECK: %[[COUNT:.*]] = call {{.*}}i4 @llvm.ctpop.i4(i4 %[[BITS]])
; CHECK: %[[WIDE:.*]] = zext nneg i4 %[[COUNT]] to i32
; CHECK: atomicrmw sub ptr addrspace(1) %counter, i32 %[[WIDE]] seq_cst
; CHECK-NOT: atomicrmw
; CHECK-LABEL: define internal spir_func void @divergent.predicated(
define spir_kernel void @divergent(ptr addrspace(1) %a, ptr addrspace(1) %counter) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %less = icmp slt i32 %x, 0
  br i1 %less, label %then, label %done
then:
  %old = atomicrmw sub ptr addrspace(1) %counter, i32 1 seq_cst
  br label %done
done:
  ret void
}

; Values that differ.
; CHECK-LABEL: define spir_kernel void @least(
; CHECK: %[[LEAST:.*]] = call i32 @llvm.vector.reduce.smin.v4i32(
; CHECK: atomicrmw min ptr addrspace(1) %counter, i32 %[[LEAST]] monotonic
; CHECK-NOT: atomicrmw
; CHECK-LABEL: define internal spir_func void @least.predicated(
define spir_kernel void @least(ptr addrspace(1) %a, ptr addrspace(1) %counter) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %old = atomicrmw min ptr addrspace(1) %counter, i32 %x monotonic
  ret void
}

; Sums of reals have an order, and an exchange has one that wins.
; CHECK-LABEL: define spir_kernel void @reals(
; CHECK-COUNT-4: atomicrmw fadd
; CHECK-COUNT-4: atomicrmw xchg
; CHECK-LABEL: define internal spir_func void @reals.predicated(
define spir_kernel void @reals(ptr addrspace(1) %a, ptr addrspace(1) %sum, ptr addrspace(1) %last) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %real = sitofp i32 %x to float
  %old = atomicrmw fadd ptr addrspace(1) %sum, float %real monotonic
  %before = atomicrmw xchg ptr addrspace(1) %last, i32 %x monotonic
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
