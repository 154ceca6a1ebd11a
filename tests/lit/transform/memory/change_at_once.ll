; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=change-at-once %s | %check
; A loop that exchanges what it found for a sum is one atomic operation.

; The place is read in each round, and its index for each access.
; CHECK-LABEL: define void @sum(
; CHECK-NOT: volatile float
; CHECK: %[[OLD:.*]] = atomicrmw volatile fadd ptr addrspace(1) %q, float %value syncscope("device") monotonic, align 4
; CHECK-NOT: clotho.any_order
; CHECK-NOT: cmpxchg
; CHECK: br label %end
; CHECK: ret void
define void @sum(ptr addrspace(1) %a, ptr addrspace(1) %index, ptr addrspace(1) %values) {
entry:
  %value = load float, ptr addrspace(1) %values
  br label %loop
loop:
  %i = load i64, ptr addrspace(1) %index
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %old = load volatile float, ptr addrspace(1) %p
  %expected = bitcast float %old to i32
  %sum = fadd float %value, %old
  %new = bitcast float %sum to i32
  %j = load i64, ptr addrspace(1) %index
  %q = getelementptr float, ptr addrspace(1) %a, i64 %j
  %pair = cmpxchg volatile ptr addrspace(1) %q, i32 %expected, i32 %new syncscope("device") monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %failed = icmp ne i32 %found, %expected
  br i1 %failed, label %loop, label %end
end:
  ret void
}

; What was there is used, by both of its names.
; CHECK-LABEL: define i32 @used(
; CHECK-NOT: load
; CHECK: %[[OLD:.*]] = atomicrmw add ptr addrspace(1) %a, i32 %x acq_rel
; CHECK-NOT: cmpxchg
; CHECK: %last = phi i32 [ %[[OLD]], %loop ]
; CHECK: %foundLast = phi i32 [ %[[OLD]], %loop ]
define i32 @used(ptr addrspace(1) %a, i32 %x) {
entry:
  %first = load atomic i32, ptr addrspace(1) %a monotonic, align 4
  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %next, %loop ]
  %new = add i32 %old, %x
  %pair = cmpxchg weak ptr addrspace(1) %a, i32 %old, i32 %new acq_rel monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %ok = extractvalue { i32, i1 } %pair, 1
  %next = select i1 %ok, i32 %old, i32 %found
  br i1 %ok, label %end, label %loop
end:
  %last = phi i32 [ %old, %loop ]
  %foundLast = phi i32 [ %found, %loop ]
  %both = add i32 %last, %foundLast
  ret i32 %both
}

; What was found goes round by a block of its own.
; CHECK-LABEL: define void @found(
; CHECK-NOT: volatile i32
; CHECK: atomicrmw volatile fadd ptr addrspace(1) %a, float %x monotonic
; CHECK-NOT: cmpxchg
; CHECK-NOT: again:
; CHECK: ret void
define void @found(ptr addrspace(1) %a, float %x) {
entry:
  %first = load volatile i32, ptr addrspace(1) %a
  br label %loop
loop:
  %bits = phi i32 [ %first, %entry ], [ %found, %again ]
  %old = bitcast i32 %bits to float
  %sum = fadd float %x, %old
  %new = bitcast float %sum to i32
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %bits, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %again
again:
  %found = extractvalue { i32, i1 } %pair, 0
  br label %loop
end:
  ret void
}

; A load that orders others stays.
; CHECK-LABEL: define void @ordered(
; CHECK: load atomic i32, ptr addrspace(1) %a acquire
; CHECK: atomicrmw umax ptr addrspace(1) %a, i32 %x monotonic
; CHECK-NOT: cmpxchg
; CHECK: ret void
define void @ordered(ptr addrspace(1) %a, i32 %x) {
entry:
  br label %loop
loop:
  %old = load atomic i32, ptr addrspace(1) %a acquire, align 4
  %new = call i32 @llvm.umax.i32(i32 %old, i32 %x)
  %pair = cmpxchg ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; Such a sum may be made in any order.
; CHECK-LABEL: define void @relaxed(
; CHECK: atomicrmw fsub ptr addrspace(1) %a, double %x monotonic, align 8, !clotho.any_order
define void @relaxed(ptr addrspace(1) %a, double %x) {
entry:
  br label %loop
loop:
  %expected = load i64, ptr addrspace(1) %a
  %old = bitcast i64 %expected to double
  %sum = fsub reassoc nsz double %old, %x
  %new = bitcast double %sum to i64
  %pair = cmpxchg ptr addrspace(1) %a, i64 %expected, i64 %new monotonic monotonic
  %ok = extractvalue { i64, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; These stay: the difference has the other order,
; CHECK-LABEL: define void @other_order(
; CHECK: cmpxchg
define void @other_order(ptr addrspace(1) %a, i32 %x) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %a
  %new = sub i32 %x, %old
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; the sum is used, which an atomic operation does not give,
; CHECK-LABEL: define i32 @sum_used(
; CHECK: cmpxchg
define i32 @sum_used(ptr addrspace(1) %a, i32 %x) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %a
  %new = add i32 %x, %old
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret i32 %new
}

; what is added depends on the round,
; CHECK-LABEL: define void @counts_rounds(
; CHECK: cmpxchg
define void @counts_rounds(ptr addrspace(1) %a) {
entry:
  br label %loop
loop:
  %n = phi i32 [ 1, %entry ], [ %more, %loop ]
  %old = load volatile i32, ptr addrspace(1) %a
  %new = add i32 %n, %old
  %more = add i32 %n, 1
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; or on the memory itself,
; CHECK-LABEL: define void @doubles(
; CHECK: cmpxchg
define void @doubles(ptr addrspace(1) %a) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %a
  %q = getelementptr i32, ptr addrspace(1) %a, i64 1
  %other = load i32, ptr addrspace(1) %q
  %new = add i32 %other, %old
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; the loop stores something,
; CHECK-LABEL: define void @stores(
; CHECK: cmpxchg
define void @stores(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %x) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %a
  store i32 %old, ptr addrspace(1) %b
  %new = add i32 %x, %old
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; reads something else that others may change,
; CHECK-LABEL: define void @looks_around(
; CHECK: cmpxchg
define void @looks_around(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %a
  %x = load volatile i32, ptr addrspace(1) %b
  %new = add i32 %x, %old
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; or ends when the exchange fails.
; CHECK-LABEL: define void @ends_by_failure(
; CHECK: cmpxchg
define void @ends_by_failure(ptr addrspace(1) %a) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %a
  %new = add i32 %old, 1
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %loop, label %end
end:
  ret void
}

declare i32 @llvm.umax.i32(i32, i32)

; What is added may be read where the sum is.
; CHECK-LABEL: define void @adds_what_may_change(
; CHECK: cmpxchg
define void @adds_what_may_change(ptr addrspace(1) %p, ptr addrspace(1) %values) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %p
  %value = load i32, ptr addrspace(1) %values
  %new = add i32 %old, %value
  %pair = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %new syncscope("device") monotonic monotonic
  %success = extractvalue { i32, i1 } %pair, 1
  br i1 %success, label %end, label %loop
end:
  ret void
}

; What the second loop adds is what the first one has found.
; CHECK-LABEL: define void @one_after_the_other(
; CHECK: %[[FOUND:.*]] = atomicrmw volatile add ptr addrspace(1) %p, i32 1
; CHECK: atomicrmw volatile add ptr addrspace(1) %q, i32 %{{.*}}
; CHECK-NOT: cmpxchg
; CHECK: ret void
define void @one_after_the_other(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  br label %first
first:
  %old = load volatile i32, ptr addrspace(1) %p
  %new = add i32 %old, 1
  %pair = cmpxchg volatile ptr addrspace(1) %p, i32 %old, i32 %new syncscope("device") monotonic monotonic
  %success = extractvalue { i32, i1 } %pair, 1
  br i1 %success, label %second, label %first
second:
  %other = load volatile i32, ptr addrspace(1) %q
  %sum = add i32 %other, %old
  %again = cmpxchg volatile ptr addrspace(1) %q, i32 %other, i32 %sum syncscope("device") monotonic monotonic
  %good = extractvalue { i32, i1 } %again, 1
  br i1 %good, label %end, label %second
end:
  ret void
}
