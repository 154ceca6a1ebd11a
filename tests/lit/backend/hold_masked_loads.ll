; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=hold-masked-loads,instcombine %s | %check
; RUN: %opt --passes=hold-masked-loads,instcombine,early-cse,gvn,hold-masked-loads,instcombine %s | %check
; RUN: %opt --passes=hold-masked-loads,instcombine,release-masked-loads %s | %check
; RUN: %opt --passes=hold-masked-loads,instcombine,release-masked-loads %s | %check --check-prefix=RELEASED
; RELEASED-NOT: freeze
; Masked loads stay in front of the stores that follow them, whatever chooses between them and something else.

declare <8 x i32> @llvm.masked.load.v8i32.p0(ptr, <8 x i1>, <8 x i32>)
declare void @llvm.masked.store.v8i32.p0(<8 x i32>, ptr, <8 x i1>)

; CHECK-LABEL: define <8 x i32> @overwritten(
; CHECK: masked.load{{.*}}(ptr align 4 %p, <8 x i1> %m, <8 x i32> splat (i32 7))
; CHECK: masked.store
; CHECK-NOT: masked.load
; CHECK: ret
define <8 x i32> @overwritten(ptr %p, <8 x i1> %m) {
  %old = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %m, <8 x i32> poison)
  call void @llvm.masked.store.v8i32.p0(<8 x i32> splat (i32 3), ptr align 4 %p, <8 x i1> %m)
  %chosen = select <8 x i1> %m, <8 x i32> %old, <8 x i32> splat (i32 7)
  ret <8 x i32> %chosen
}

; What is chosen else is known behind the store only.
; CHECK-LABEL: define <8 x i32> @later(
; CHECK: masked.load
; CHECK: masked.store
; CHECK: %other = load
; CHECK-NOT: masked.load
; CHECK: ret
define <8 x i32> @later(ptr %p, ptr %q, <8 x i1> %m) {
  %old = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %m, <8 x i32> poison)
  call void @llvm.masked.store.v8i32.p0(<8 x i32> splat (i32 3), ptr align 4 %p, <8 x i1> %m)
  %other = load <8 x i32>, ptr %q
  %chosen = select <8 x i1> %m, <8 x i32> %old, <8 x i32> %other
  ret <8 x i32> %chosen
}

; InstCombine makes this choice out of one between two sums.
; CHECK-LABEL: define <8 x i32> @made(
; CHECK: masked.load
; CHECK: masked.store
; CHECK: %other = load
; CHECK-NOT: masked.load
; CHECK: ret
define <8 x i32> @made(ptr %p, ptr %q, <8 x i1> %m, <8 x i32> %z) {
  %old = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %m, <8 x i32> poison)
  call void @llvm.masked.store.v8i32.p0(<8 x i32> splat (i32 3), ptr align 4 %p, <8 x i1> %m)
  %other = load <8 x i32>, ptr %q
  %a = add <8 x i32> %old, %z
  %b = add <8 x i32> %other, %z
  %chosen = select <8 x i1> %m, <8 x i32> %a, <8 x i32> %b
  ret <8 x i32> %chosen
}

; Nor do loads go into loops, where they would find what earlier iterations have stored.
; CHECK-LABEL: define <8 x i32> @looped(
; CHECK: masked.load
; CHECK: br label %next
; CHECK-NOT: masked.load
; CHECK: ret
define <8 x i32> @looped(ptr %p, <8 x i1> %m, i32 %n) {
  %old = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %m, <8 x i32> poison)
  br label %next
next:
  %i = phi i32 [ 0, %0 ], [ %j, %next ]
  %sum = phi <8 x i32> [ zeroinitializer, %0 ], [ %added, %next ]
  %chosen = select <8 x i1> %m, <8 x i32> %old, <8 x i32> %sum
  call void @llvm.masked.store.v8i32.p0(<8 x i32> splat (i32 3), ptr align 4 %p, <8 x i1> %m)
  %added = add <8 x i32> %chosen, splat (i32 1)
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %next, label %end
end:
  ret <8 x i32> %added
}

; The select is merged into the load if no store is between them.
; CHECK-LABEL: define <8 x i32> @merged(
; CHECK: %other = load
; CHECK-NEXT: masked.load{{.*}}(ptr align 4 %p, <8 x i1> %m, <8 x i32> %other)
; CHECK-NOT: select
; CHECK: ret
define <8 x i32> @merged(ptr %p, ptr %q, <8 x i1> %m) {
  %old = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %m, <8 x i32> poison)
  %other = load <8 x i32>, ptr %q
  %chosen = select <8 x i1> %m, <8 x i32> %old, <8 x i32> %other
  ret <8 x i32> %chosen
}

; A load of which two things are chosen keeps what one of them is else.
; CHECK-LABEL: define <8 x i32> @twice(
; CHECK: masked.load{{.*}}(ptr align 4 %p, <8 x i1> %m, <8 x i32> %{{[xy]}})
; CHECK: select <8 x i1> %m, <8 x i32> %{{.*}}, <8 x i32> %{{[xy]}}
; CHECK: ret
define <8 x i32> @twice(ptr %p, <8 x i1> %m, <8 x i32> %x, <8 x i32> %y) {
  %old = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr align 4 %p, <8 x i1> %m, <8 x i32> poison)
  %one = select <8 x i1> %m, <8 x i32> %old, <8 x i32> %x
  %two = select <8 x i1> %m, <8 x i32> %old, <8 x i32> %y
  %sum = mul <8 x i32> %one, %two
  ret <8 x i32> %sum
}

; What all lanes load is an ordinary load, and needs nothing.
; CHECK-LABEL: define <8 x i32> @all(
; CHECK-NOT: freeze{{.*}}clotho.held
; CHECK: ret
define <8 x i32> @all(ptr %p) {
  %old = load <8 x i32>, ptr %p
  %held = freeze <8 x i32> %old, !clotho.held !0
  ret <8 x i32> %held
}

!0 = !{}
