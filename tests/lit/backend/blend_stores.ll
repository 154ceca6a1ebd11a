; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=blend-stores %s | %check
; Masked stores to local memory become a load, a choice and a store; where no lane may be live, elsewhere.

declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, <8 x i1>)

; CHECK-LABEL: define void @local(
; CHECK: [[NOWHERE:%.*]] = alloca <8 x i32>
; CHECK: [[BITS:%.*]] = bitcast <8 x i1> %mask to i8
; CHECK: [[ANY:%.*]] = icmp ne i8 [[BITS]], 0
; CHECK: [[PLACE:%.*]] = select i1 [[ANY]], ptr %p, ptr [[NOWHERE]]
; CHECK: [[BEFORE:%.*]] = load <8 x i32>, ptr [[PLACE]], align 4
; CHECK: [[CHOICE:%.*]] = select <8 x i1> %mask, <8 x i32> %value, <8 x i32> [[BEFORE]]
; CHECK: store <8 x i32> [[CHOICE]], ptr [[PLACE]], align 4
; CHECK-NOT: masked.store
define void @local(ptr %p, <8 x i32> %value, <8 x i1> %mask) {
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %value, ptr align 4 %p, <8 x i1> %mask), !clotho.local_memory !0
  ret void
}

; A constant mask has a known active lane.
; CHECK-LABEL: define void @known(
; CHECK-NOT: alloca
; CHECK: load <8 x i32>, ptr %p, align 4
; CHECK: store <8 x i32> %{{.*}}, ptr %p, align 4
define void @known(ptr %p, <8 x i32> %value) {
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %value, ptr align 4 %p, <8 x i1> <i1 1, i1 0, i1 1, i1 0, i1 1, i1 0, i1 1, i1 0>), !clotho.local_memory !0
  ret void
}

; Other threads may store to global memory at the same time.
; CHECK-LABEL: define void @global(
; CHECK: call void @llvm.masked.store.v8i32.p0(
define void @global(ptr %p, <8 x i32> %value, <8 x i1> %mask) {
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %value, ptr align 4 %p, <8 x i1> %mask)
  ret void
}

!0 = !{}
; What is written back may lie in the array beside, so that neither is reached by one pointer alone.
; CHECK-LABEL: define void @beside(ptr "clotho-local" %a, ptr "clotho-local" %b, ptr noalias %frame, <8 x i32> %value, <8 x i1> %mask)
define void @beside(ptr noalias "clotho-local" %a, ptr noalias "clotho-local" %b, ptr noalias %frame, <8 x i32> %value, <8 x i1> %mask) {
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %value, ptr align 4 %a, <8 x i1> %mask), !clotho.local_memory !0
  ret void
}

; CHECK-LABEL: define void @unmasked(ptr noalias "clotho-local" %a, <8 x i32> %value)
define void @unmasked(ptr noalias "clotho-local" %a, <8 x i32> %value) {
  store <8 x i32> %value, ptr %a
  ret void
}
