; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=skip-far-accesses %s | %check
; RUN: %opt --passes=skip-far-accesses-avx2 %s | %check --check-prefix=AVX2
; Masked accesses that may be far from any memory are behind a test of their mask.

declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)

; One test serves accesses with one mask. What only they need is skipped with them, and what does not depend on them
; comes before.
; CHECK-LABEL: @sum(
; CHECK: %other = mul <4 x i32> %o4, %x
; CHECK: [[BITS:%.*]] = bitcast <4 x i1> %mask to i4
; CHECK: %live = icmp ne i4 [[BITS]], 0
; CHECK-NEXT: br i1 %live, label %[[THEN:.*]], label %[[AFTER:.*]], !prof
; CHECK: [[THEN]]:
; CHECK: %a = call <4 x i32> @llvm.masked.load
; CHECK: %b = call <4 x i32> @llvm.masked.load
; CHECK: %sum = add <4 x i32> %a, %b
; CHECK: call void @llvm.masked.store{{.*}}(<4 x i32> %sum
; CHECK: br label %[[AFTER]]
; CHECK: [[AFTER]]:
; CHECK-NOT: phi
; CHECK: ret <4 x i32> %other
define <4 x i32> @sum(ptr %p, ptr %q, ptr %r, <4 x i1> %mask, <4 x i32> %x) {
  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, <4 x i1> %mask, <4 x i32> poison), !clotho.far !0
  %b = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %q, <4 x i1> %mask, <4 x i32> poison), !clotho.far !0
  %o1 = mul <4 x i32> %x, %x
  %o2 = mul <4 x i32> %o1, %x
  %o3 = mul <4 x i32> %o2, %x
  %o4 = mul <4 x i32> %o3, %x
  %other = mul <4 x i32> %o4, %x
  %sum = add <4 x i32> %a, %b
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %sum, ptr %r, <4 x i1> %mask), !clotho.far !0
  ret <4 x i32> %other
}

; What is needed elsewhere is what the load has for lanes that are not live.
; CHECK-LABEL: @read(
; CHECK: br i1 %live, label %[[THEN:.*]], label %[[AFTER:.*]], !prof
; CHECK: [[AFTER]]:
; CHECK: [[A:%.*]] = phi <4 x i32> [ %a, %[[THEN]] ], [ %x, %0 ]
; CHECK: %next = add <4 x i32> [[A]], splat (i32 1)
; CHECK: ret <4 x i32> %next
define <4 x i32> @read(ptr %p, <4 x i1> %mask, <4 x i32> %x) {
  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, <4 x i1> %mask, <4 x i32> %x), !clotho.far !0
  %next = add <4 x i32> %a, splat (i32 1)
  %more = mul <4 x i32> %next, %x
  %most = mul <4 x i32> %more, %x
  %m1 = xor <4 x i32> %most, %x
  %m2 = mul <4 x i32> %m1, %x
  %m3 = mul <4 x i32> %m2, %x
  %m4 = mul <4 x i32> %m3, %x
  %m5 = mul <4 x i32> %m4, %x
  ret <4 x i32> %next
}

; A value that a store needs, and others too, must be there without the store: a second test.
; CHECK-LABEL: @both(
; CHECK: br i1 %live, label %[[THEN:.*]], label %[[AFTER:.*]], !prof
; CHECK: [[THEN]]:
; CHECK-NEXT: %a = call <4 x i32> @llvm.masked.load
; CHECK-NEXT: br label %[[AFTER]]
; CHECK: [[AFTER]]:
; CHECK: %next = add <4 x i32>
; CHECK: br i1 %live{{.*}}, label %[[STORED:.*]], label
; CHECK: [[STORED]]:
; CHECK-NEXT: call void @llvm.masked.store{{.*}}(<4 x i32> %next
; CHECK: ret <4 x i32> %next
define <4 x i32> @both(ptr %p, ptr %r, <4 x i1> %mask, <4 x i32> %x) {
  %b1 = mul <4 x i32> %x, %x
  %b2 = mul <4 x i32> %b1, %x
  %b3 = mul <4 x i32> %b2, %x
  %b4 = mul <4 x i32> %b3, %x
  %b5 = mul <4 x i32> %b4, %x
  %b6 = mul <4 x i32> %b5, %x
  %b7 = mul <4 x i32> %b6, %x
  %b8 = mul <4 x i32> %b7, %x
  %b9 = mul <4 x i32> %b8, %x
  %c1 = mul <4 x i32> %b9, %x
  %c2 = mul <4 x i32> %c1, %x
  %c3 = mul <4 x i32> %c2, %x
  %c4 = mul <4 x i32> %c3, %x
  %c5 = mul <4 x i32> %c4, %x
  %c6 = mul <4 x i32> %c5, %x
  %c7 = mul <4 x i32> %c6, %x
  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, <4 x i1> %mask, <4 x i32> %c7), !clotho.far !0
  %next = add <4 x i32> %a, %x
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %next, ptr %r, <4 x i1> %mask), !clotho.far !0
  ret <4 x i32> %next
}

; Stores are slow with AVX-512 only.
; CHECK-LABEL: @stored(
; CHECK: br i1 %live,
; AVX2-LABEL: @stored(
; AVX2-NOT: br
; AVX2: ret void
define void @stored(ptr %p, <4 x i1> %mask, <4 x i32> %x) {
  %b1 = mul <4 x i32> %x, %x
  %b2 = mul <4 x i32> %b1, %x
  %b3 = mul <4 x i32> %b2, %x
  %b4 = mul <4 x i32> %b3, %x
  %b5 = mul <4 x i32> %b4, %x
  %b6 = mul <4 x i32> %b5, %x
  %b7 = mul <4 x i32> %b6, %x
  %b8 = mul <4 x i32> %b7, %x
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %b8, ptr %p, <4 x i1> %mask), !clotho.far !0
  ret void
}

; A store in between may change what is read.
; CHECK-LABEL: @between(
; CHECK: br i1 %live,
; CHECK: %a = call <4 x i32> @llvm.masked.load
; CHECK: store i32 7, ptr %q
; CHECK: br i1 %live{{.*}},
; CHECK: %b = call <4 x i32> @llvm.masked.load
define <4 x i32> @between(ptr %p, ptr %q, <4 x i1> %mask, <4 x i32> %x) {
  %b1 = mul <4 x i32> %x, %x
  %b2 = mul <4 x i32> %b1, %x
  %b3 = mul <4 x i32> %b2, %x
  %b4 = mul <4 x i32> %b3, %x
  %b5 = mul <4 x i32> %b4, %x
  %b6 = mul <4 x i32> %b5, %x
  %b7 = mul <4 x i32> %b6, %x
  %b8 = mul <4 x i32> %b7, %x
  %b9 = mul <4 x i32> %b8, %x
  %c1 = mul <4 x i32> %b9, %x
  %c2 = mul <4 x i32> %c1, %x
  %c3 = mul <4 x i32> %c2, %x
  %c4 = mul <4 x i32> %c3, %x
  %c5 = mul <4 x i32> %c4, %x
  %c6 = mul <4 x i32> %c5, %x
  %c7 = mul <4 x i32> %c6, %x
  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, <4 x i1> %mask, <4 x i32> %c7), !clotho.far !0
  store i32 7, ptr %q
  %b = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, <4 x i1> %mask, <4 x i32> zeroinitializer), !clotho.far !0
  %sum = add <4 x i32> %a, %b
  ret <4 x i32> %sum
}

; A loop that is short beside the test stays as it is, and so do accesses that are near memory.
; CHECK-LABEL: @short(
; CHECK-NOT: br
; CHECK: ret
define <4 x i32> @short(ptr %p, <4 x i1> %mask) {
  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, <4 x i1> %mask, <4 x i32> zeroinitializer), !clotho.far !0
  ret <4 x i32> %a
}

; CHECK-LABEL: @near(
; CHECK-NOT: br
; CHECK: ret
define <4 x i32> @near(ptr %p, <4 x i1> %mask, <4 x i32> %x) {
  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, <4 x i1> %mask, <4 x i32> %x)
  %b1 = mul <4 x i32> %a, %x
  %b2 = mul <4 x i32> %b1, %x
  %b3 = mul <4 x i32> %b2, %x
  %b4 = mul <4 x i32> %b3, %x
  %b5 = mul <4 x i32> %b4, %x
  %b6 = mul <4 x i32> %b5, %x
  %b7 = mul <4 x i32> %b6, %x
  %b8 = mul <4 x i32> %b7, %x
  ret <4 x i32> %b8
}

!0 = !{}
