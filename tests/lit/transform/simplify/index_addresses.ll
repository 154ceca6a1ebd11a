; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=index-addresses %s | %check
; Addresses that loops step along or that count bytes are written as an index of elements.

; A private array by a counter of bytes, and a buffer by a pointer that steps from row to row.
; CHECK-LABEL: @steps(
; CHECK: loop:
; CHECK-NOT: phi ptr
; CHECK: %[[INDEX:.*]] = phi i64 [ %{{.*}}, %loop ], [ 0, %entry ]
; CHECK-NOT: phi ptr
; CHECK: %[[PRODUCT:.*]] = mul i64 %n, %[[INDEX]]
; CHECK-NEXT: %[[ROW:.*]] = getelementptr float, ptr addrspace(1) %in, i64 %[[PRODUCT]]
; CHECK-NEXT: %[[FROM:.*]] = getelementptr float, ptr addrspace(1) %[[ROW]], i64 %id
; CHECK-NEXT: load float, ptr addrspace(1) %[[FROM]], align 4
; CHECK-NEXT: %[[AT:.*]] = getelementptr float, ptr %a, i64 %[[INDEX]]
; CHECK-NEXT: %[[TO:.*]] = getelementptr float, ptr %[[AT]], i64 1
; CHECK-NEXT: store float %{{.*}}, ptr %[[TO]], align 4
; CHECK: ret void
define void @steps(ptr addrspace(1) %in, i64 %n, i64 %id) {
entry:
  %a = alloca [64 x float], align 4
  %row = shl i64 %n, 2
  br label %loop
loop:
  %i = phi i64 [ 4, %entry ], [ %i.next, %loop ]
  %from = phi ptr addrspace(1) [ %in, %entry ], [ %from.next, %loop ]
  %mine = getelementptr float, ptr addrspace(1) %from, i64 %id
  %v = load float, ptr addrspace(1) %mine, align 4
  %to = getelementptr i8, ptr %a, i64 %i
  store float %v, ptr %to, align 4
  %from.next = getelementptr i8, ptr addrspace(1) %from, i64 %row
  %i.next = add nuw nsw i64 %i, 4
  %done = icmp eq i64 %i.next, 256
  br i1 %done, label %end, label %loop
end:
  ret void
}

; A loop's pointer is where that of a loop inside begins: neither is left.
; CHECK-LABEL: @nested(
; CHECK-NOT: phi ptr
; CHECK-NOT: getelementptr i8
; CHECK: getelementptr float, ptr %a, i64
; CHECK: ret void
define void @nested() {
entry:
  %a = alloca [64 x float], align 4
  br label %outer
outer:
  %row = phi ptr [ %a, %entry ], [ %row.next, %next ]
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  br label %inner
inner:
  %p = phi ptr [ %row, %outer ], [ %p.next, %inner ]
  %k = phi i64 [ 0, %outer ], [ %k.next, %inner ]
  store float 1.0, ptr %p, align 4
  %p.next = getelementptr i8, ptr %p, i64 4
  %k.next = add i64 %k, 1
  %k.done = icmp eq i64 %k.next, 8
  br i1 %k.done, label %next, label %inner
next:
  %row.next = getelementptr i8, ptr %row, i64 32
  %i.next = add i64 %i, 1
  %i.done = icmp eq i64 %i.next, 8
  br i1 %i.done, label %end, label %outer
end:
  ret void
}

; A counter times what is no constant, behind an address in bytes.
; CHECK-LABEL: @product(
; CHECK-NOT: getelementptr i8
; CHECK: getelementptr float, ptr addrspace(1) %in, i64
; CHECK: ret void
define void @product(ptr addrspace(1) %in, i64 %i, ptr addrspace(1) %sizes) {
entry:
  %bytes = shl i64 %i, 2
  %row = getelementptr i8, ptr addrspace(1) %in, i64 %bytes
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %size = load volatile i64, ptr addrspace(1) %sizes, align 8
  %index = mul i64 %k, %size
  %p = getelementptr float, ptr addrspace(1) %row, i64 %index
  store float 1.0, ptr addrspace(1) %p, align 4
  %k.next = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %k.next, 64
  br i1 %done, label %end, label %loop
end:
  ret void
}

; An index of 32 bits that was extended and counted in bytes at once.
; CHECK-LABEL: @extended(
; CHECK: %[[NARROW:.*]] = trunc i64 %i to i32
; CHECK-NEXT: %[[WIDE:.*]] = sext i32 %[[NARROW]] to i64
; CHECK-NEXT: %[[P:.*]] = getelementptr float, ptr addrspace(1) %in, i64 %[[WIDE]]
; CHECK-NEXT: load float, ptr addrspace(1) %[[P]]
define float @extended(ptr addrspace(1) %in, i64 %i) {
  %high = shl i64 %i, 32
  %bytes = ashr i64 %high, 30
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %bytes
  %v = load float, ptr addrspace(1) %p, align 4
  ret float %v
}

; A pointer to a buffer that steps by elements is as in the source, and what bounds an index stays known of it.
; CHECK-LABEL: @walk(
; CHECK: getelementptr inbounds float, ptr addrspace(1) %in, i64 %x
; CHECK: phi ptr addrspace(1)
; CHECK: ret float
define float @walk(ptr addrspace(1) %in, i64 %x, i64 %w) {
entry:
  %bytes = shl nsw i64 %x, 2
  %start = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %bytes
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %start, %entry ], [ %p.next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %v = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %v
  %p.next = getelementptr float, ptr addrspace(1) %p, i64 %w
  %k.next = add i64 %k, 1
  %done = icmp eq i64 %k.next, 8
  br i1 %done, label %end, label %loop
end:
  ret float %more
}

; If the number of bytes may have wrapped around, the element index is another one and loses its flags.
; CHECK-LABEL: @wraps(
; CHECK: getelementptr float, ptr addrspace(1) %in, i64 %x
define float @wraps(ptr addrspace(1) %in, i64 %x) {
  %bytes = shl i64 %x, 2
  %p = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %bytes
  %v = load float, ptr addrspace(1) %p, align 4
  ret float %v
}

; A constant step of several elements is a step of a tile or row, and an index. One of a single element is as in the
; source.
; CHECK-LABEL: @skips(
; CHECK: %[[I:.*]] = shl nuw nsw i64 %k, 4
; CHECK: getelementptr float, ptr addrspace(1) %in, i64 %[[I]]
; CHECK-LABEL: @steps_by_one(
; CHECK: phi ptr addrspace(1)
; CHECK: load float, ptr addrspace(1) %p
define float @skips(ptr addrspace(1) %in) {
entry:
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %in, %entry ], [ %p.next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %v = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %v
  %p.next = getelementptr i8, ptr addrspace(1) %p, i64 64
  %k.next = add i64 %k, 1
  %done = icmp eq i64 %k.next, 8
  br i1 %done, label %end, label %loop
end:
  ret float %more
}
define float @steps_by_one(ptr addrspace(1) %in) {
entry:
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %in, %entry ], [ %p.next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %v = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %v
  %p.next = getelementptr i8, ptr addrspace(1) %p, i64 4
  %k.next = add i64 %k, 1
  %done = icmp eq i64 %k.next, 8
  br i1 %done, label %end, label %loop
end:
  ret float %more
}

; What is no multiple of the element stays, and so does what is an index already.
; CHECK-LABEL: @stay(
; CHECK: %p = getelementptr i8, ptr addrspace(1) %in, i64 %i
; CHECK: %v = load float, ptr addrspace(1) %p
; CHECK: %q = getelementptr float, ptr addrspace(1) %in, i64 %i
; CHECK: store float %v, ptr addrspace(1) %q
define void @stay(ptr addrspace(1) %in, i64 %i) {
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %i
  %v = load float, ptr addrspace(1) %p, align 1
  %q = getelementptr float, ptr addrspace(1) %in, i64 %i
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; An index that both ways compute alike is one where they meet, with the promises that both make; not one of other
; operands, or of what only one way knows.
; CHECK-LABEL: @joined(
; CHECK: end:
; CHECK: %other = phi i64 [ %p.other, %one ], [ %q.other, %two ]
; CHECK-NEXT: %own = phi i64 [ %p.own, %one ], [ %q.own, %two ]
; CHECK-NEXT: %[[SAME:.*]] = shl nsw i64 %n, 3
; CHECK: getelementptr i8, ptr addrspace(1) %a, i64 %[[SAME]]
define void @joined(ptr addrspace(1) %a, i1 %way, i64 %n, i64 %m, ptr %x, ptr %y) {
entry:
  br i1 %way, label %one, label %two
one:
  %p = shl nuw nsw i64 %n, 3
  %p.other = shl i64 %n, 3
  %p.loaded = load i64, ptr %x
  %p.own = shl i64 %p.loaded, 3
  br label %end
two:
  %q = shl nsw i64 %n, 3
  %q.other = shl i64 %m, 3
  %q.loaded = load i64, ptr %y
  %q.own = shl i64 %q.loaded, 3
  br label %end
end:
  %same = phi i64 [ %p, %one ], [ %q, %two ]
  %other = phi i64 [ %p.other, %one ], [ %q.other, %two ]
  %own = phi i64 [ %p.own, %one ], [ %q.own, %two ]
  %f = getelementptr i8, ptr addrspace(1) %a, i64 %same
  store i8 0, ptr addrspace(1) %f
  %g = getelementptr i8, ptr addrspace(1) %a, i64 %other
  store i8 0, ptr addrspace(1) %g
  %h = getelementptr i8, ptr addrspace(1) %a, i64 %own
  store i8 0, ptr addrspace(1) %h
  ret void
}

; An index that there is already is used again, so that InstCombine does not make shifts of it once more.
; CHECK-LABEL: @known(
; CHECK: %i = trunc i64 %id to i32
; CHECK-NOT: trunc
; CHECK: %[[I:.*]] = sext i32 %i to i64
; CHECK-NEXT: %[[AT:.*]] = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %[[I]]
; CHECK-NEXT: load i32, ptr addrspace(1) %[[AT]], align 4
; CHECK: ret i32
define i32 @known(ptr addrspace(1) %p, i64 %id, i32 %n) {
  %i = trunc i64 %id to i32
  %high = shl i64 %id, 32
  %bytes = ashr exact i64 %high, 30
  %at = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %bytes
  %v = load i32, ptr addrspace(1) %at, align 4
  %r = add i32 %v, %i
  ret i32 %r
}

; One that only another way computes is none.
; CHECK-LABEL: @elsewhere(
; CHECK: use:
; CHECK: %[[NARROW:.*]] = trunc i64 %id to i32
; CHECK-NEXT: %[[I:.*]] = sext i32 %[[NARROW]] to i64
; CHECK-NEXT: getelementptr inbounds i32, ptr addrspace(1) %p, i64 %[[I]]
; CHECK: other:
; CHECK-NEXT: %i = trunc i64 %id to i32
define i32 @elsewhere(ptr addrspace(1) %p, i64 %id, i1 %c) {
  br i1 %c, label %use, label %other
use:
  %high = shl i64 %id, 32
  %bytes = ashr exact i64 %high, 30
  %at = getelementptr inbounds i8, ptr addrspace(1) %p, i64 %bytes
  %v = load i32, ptr addrspace(1) %at, align 4
  ret i32 %v
other:
  %i = trunc i64 %id to i32
  ret i32 %i
}
