; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=yield-in-waiting-loops %s | %check

; CHECK-LABEL: @waits_for_a_flag(
; CHECK: loop:
; CHECK-NEXT: call void @clotho.yield()
define spir_kernel void @waits_for_a_flag(ptr addrspace(1) %flag) {
  br label %loop
loop:
  %seen = load volatile i32, ptr addrspace(1) %flag
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; Only the loop that ends by it, at the end of a computation and a choice.
; CHECK-LABEL: @inner(
; CHECK: outer:
; CHECK-NOT: clotho.yield
; CHECK: inner:
; CHECK-NEXT: phi
; CHECK-NEXT: call void @clotho.yield()
define spir_kernel void @inner(ptr addrspace(3) %flag, i32 %n) {
  br label %outer
outer:
  %i = phi i32 [ 0, %0 ], [ %next, %latch ]
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %more, %join ]
  %seen = load atomic i32, ptr addrspace(3) %flag acquire, align 4
  %odd = trunc i32 %seen to i1
  br i1 %odd, label %then, label %join
then:
  br label %join
join:
  %stop = phi i1 [ true, %then ], [ false, %inner ]
  %more = add i32 %k, 1
  br i1 %stop, label %latch, label %inner
latch:
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %outer
end:
  ret void
}

; CHECK-LABEL: @takes_a_lock(
; CHECK: call void @clotho.yield()
define spir_kernel void @takes_a_lock(ptr addrspace(1) %lock) {
  br label %loop
loop:
  %old = atomicrmw volatile xchg ptr addrspace(1) %lock, i32 1 monotonic
  %free = icmp eq i32 %old, 0
  br i1 %free, label %end, label %loop
end:
  ret void
}

; CHECK-LABEL: @takes_a_lock_by_comparison(
; CHECK: call void @clotho.yield()
define spir_kernel void @takes_a_lock_by_comparison(ptr addrspace(1) %lock) {
  br label %loop
loop:
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 acquire monotonic
  %free = extractvalue { i32, i1 } %pair, 1
  br i1 %free, label %end, label %loop
end:
  ret void
}

; A repeated exchange means that another one has succeeded, so the loop does not wait.
; CHECK-LABEL: @tries_again(
; CHECK-NOT: clotho.yield
define spir_kernel void @tries_again(ptr addrspace(1) %sum, float %x) {
  %first = load volatile i32, ptr addrspace(1) %sum
  br label %loop
loop:
  %old = phi i32 [ %first, %0 ], [ %found, %loop ]
  %value = bitcast i32 %old to float
  %more = fadd float %value, %x
  %new = bitcast float %more to i32
  %pair = cmpxchg ptr addrspace(1) %sum, i32 %old, i32 %new monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %same = extractvalue { i32, i1 } %pair, 1
  br i1 %same, label %end, label %loop
end:
  ret void
}

; A counter that this work-item increments itself, and memory that no other thread sees.
; CHECK-LABEL: @draws_tickets(
; CHECK-NOT: clotho.yield
define spir_kernel void @draws_tickets(ptr addrspace(1) %next, i32 %n) {
  %mine = alloca i32
  br label %loop
loop:
  %ticket = atomicrmw volatile add ptr addrspace(1) %next, i32 1 monotonic
  %own = load volatile i32, ptr %mine
  %sum = add i32 %ticket, %own
  %more = icmp ult i32 %sum, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A volatile load that does not end the loop.
; CHECK-LABEL: @counts(
; CHECK-NOT: clotho.yield
define spir_kernel void @counts(ptr addrspace(3) %data, i32 %n) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %x = load volatile i32, ptr addrspace(3) %data
  store volatile i32 %x, ptr addrspace(3) %data
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; CHECK-LABEL: @needs_none(
; CHECK-NOT: clotho.yield
; CHECK: ret void
define spir_kernel void @needs_none(ptr addrspace(1) %flag) !clotho.facts !0 {
  br label %loop
loop:
  %seen = load volatile i32, ptr addrspace(1) %flag
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}
!0 = !{!"no-forward-progress", i1 true}
