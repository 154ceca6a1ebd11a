; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-half-atomics %s | %check
; Arithmetic on halves in memory becomes a loop that exchanges 16 bits; plain exchanges stay, as do floats.

; CHECK-LABEL: @sum(
; CHECK: %[[FIRST:.*]] = load atomic volatile i16, ptr %p monotonic, align 2
; CHECK: again:
; CHECK: %[[BITS:.*]] = phi i16 [ %[[FIRST]], %{{.*}} ], [ %[[FOUND:.*]], %again ]
; CHECK: %[[OLD:.*]] = bitcast i16 %[[BITS]] to half
; CHECK: %[[NEW:.*]] = fadd half %[[OLD]], %x
; CHECK: %[[NEWBITS:.*]] = bitcast half %[[NEW]] to i16
; CHECK: %[[PAIR:.*]] = cmpxchg volatile ptr %p, i16 %[[BITS]], i16 %[[NEWBITS]] acq_rel acquire, align 2
; CHECK: %[[FOUND]] = extractvalue { i16, i1 } %[[PAIR]], 0
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %again
; CHECK: ret half %[[OLD]]
define half @sum(ptr %p, half %x) {
  %old = atomicrmw volatile fadd ptr %p, half %x acq_rel, align 2
  ret half %old
}

; CHECK-LABEL: @others(
; CHECK: call half @llvm.minnum.f16
; CHECK: cmpxchg ptr %p, i16 %{{.*}}, i16 %{{.*}} monotonic monotonic
; CHECK: atomicrmw xchg ptr %p, half
; CHECK: atomicrmw fadd ptr %q, float
define void @others(ptr %p, ptr %q, half %x, float %y) {
  %old = atomicrmw fmin ptr %p, half %x monotonic, align 2
  %before = atomicrmw xchg ptr %p, half %old monotonic, align 2
  %sum = atomicrmw fadd ptr %q, float %y monotonic, align 4
  ret void
}
