; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=blend-stores %s | %check
; Masked stores to local memory, and to what all lanes have loaded, become a load, a choice and a store.
; Where no lane may be live, those to local memory go elsewhere.

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

; Of a constant mask, some lane is live.
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

; Nobody can tell what a work-item stores back that has loaded it before (the mark says so). Where no lane is live, nothing
; is stored, and of two pages each must be one that a live lane stores to.
; CHECK-LABEL: define void @loaded(
; CHECK: [[LIVE:%.*]] = icmp ne i8 %{{.*}}, 0
; CHECK: br i1 [[LIVE]], label %[[SOME:.*]], label %[[END:.*]]
; CHECK: [[SOME]]:
; CHECK: [[PLACE:%.*]] = and i64 %{{.*}}, 4095
; CHECK: [[FITS:%.*]] = icmp ule i64 [[PLACE]], 4064
; CHECK: br i1 [[FITS]], label %[[WHOLE:.*]], label %[[APART:.*]], !prof
; CHECK: [[WHOLE]]:
; CHECK: [[BEFORE:%.*]] = load <8 x i32>, ptr %p, align 4
; CHECK: [[CHOICE:%.*]] = select <8 x i1> %mask, <8 x i32> %value, <8 x i32> [[BEFORE]]
; CHECK: store <8 x i32> [[CHOICE]], ptr %p, align 4
; CHECK: [[APART]]:
; CHECK: call void @llvm.masked.store.v8i32.p0(<8 x i32> %value, ptr align 4 %p, <8 x i1> %mask)
define void @loaded(ptr %p, <8 x i32> %limit) {
  %value = load <8 x i32>, ptr %p, align 4, !clotho.may_store_back !0
  %mask = icmp ugt <8 x i32> %value, %limit
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %value, ptr align 4 %p, <8 x i1> %mask)
  ret void
}

; A load without the mark, at another place, of fewer lanes, or perhaps not made, says nothing.
; CHECK-LABEL: define void @elsewhere(
; CHECK-NOT: store <8 x i32>
; CHECK: call void @llvm.masked.store.v8i32.p0(<8 x i32> %value, ptr align 4 %p, <8 x i1> %mask)
define void @elsewhere(ptr %p, ptr %q, i1 %way, <8 x i1> %mask) {
  %value = load <8 x i32>, ptr %p, align 4
  %other = load <8 x i32>, ptr %q, align 4, !clotho.may_store_back !0
  %some = load <4 x i32>, ptr %p, align 4, !clotho.may_store_back !0
  br i1 %way, label %perhaps, label %end

perhaps:
  %again = load <8 x i32>, ptr %p, align 4, !clotho.may_store_back !0
  br label %end

end:
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %value, ptr align 4 %p, <8 x i1> %mask)
  ret void
}

!0 = !{}
