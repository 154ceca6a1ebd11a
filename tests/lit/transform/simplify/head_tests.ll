; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=head-tests %s | %check
; A loop behind a branch that asks the same of its first round has the test at its head instead.

; CHECK-LABEL: @sum(
; CHECK: entry:
; CHECK: br label %head
; CHECK: head:
; CHECK-NEXT: %i = phi i32 [ %next, %loop ], [ %id, %entry ]
; CHECK-NEXT: %sum = phi float [ %more, %loop ], [ 0.000000e+00, %entry ]
; CHECK-NEXT: %[[TEST:.*]] = icmp slt i32 %i, %n
; CHECK-NEXT: br i1 %[[TEST]], label %loop, label %end
; CHECK: loop:
; CHECK: br label %head
; CHECK: end:
; CHECK-NEXT: phi float [ %sum, %head ]
define float @sum(ptr addrspace(1) %in, i32 %id, i32 %size, i32 %n) {
entry:
  %any = icmp sgt i32 %n, %id
  br i1 %any, label %before, label %end
before:
  %twice = shl i32 %size, 1
  br label %loop
loop:
  %i = phi i32 [ %next, %loop ], [ %id, %before ]
  %sum = phi float [ %more, %loop ], [ 0.0, %before ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %v
  %next = add i32 %i, %twice
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  %result = phi float [ %more, %loop ], [ 0.0, %entry ]
  ret float %result
}

; The tests ask through operations, and in opposite ways. What differs behind the loop is a variable of its own.
; CHECK-LABEL: @inverse(
; CHECK: head:
; CHECK: %[[LAST:.*]] = phi i32 [ -1, %entry ], [ %square, %loop ]
; CHECK: %[[HALF:.*]] = lshr i32 %i, 1
; CHECK: %[[TEST:.*]] = icmp ult i32 %[[HALF]], %n
; CHECK: br i1 %[[TEST]], label %loop, label %end
; CHECK: end:
; CHECK-NEXT: phi i32 [ %[[LAST]], %head ]
define i32 @inverse(i32 %start, i32 %n) {
entry:
  %half = lshr i32 %start, 1
  %none = icmp uge i32 %half, %n
  br i1 %none, label %end, label %loop
loop:
  %i = phi i32 [ %next, %loop ], [ %start, %entry ]
  %square = mul i32 %i, %i
  %next = add i32 %square, 1
  %half.next = lshr i32 %next, 1
  %again = icmp ult i32 %half.next, %n
  br i1 %again, label %loop, label %end
end:
  %result = phi i32 [ %square, %loop ], [ -1, %entry ]
  ret i32 %result
}

; Another question at the guard, and work between guard and loop that must not be done without a round.
; CHECK-LABEL: @other(
; CHECK-NOT: head:
; CHECK: ret void
define void @other(ptr addrspace(1) %p, i32 %id, i32 %n) {
entry:
  %any = icmp sge i32 %n, %id
  br i1 %any, label %loop, label %second
loop:
  %i = phi i32 [ %next, %loop ], [ %id, %entry ]
  store i32 %i, ptr addrspace(1) %p
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %second
second:
  %more = icmp slt i32 %id, %n
  br i1 %more, label %before, label %end
before:
  store i32 0, ptr addrspace(1) %p
  br label %again.loop
again.loop:
  %k = phi i32 [ %k.next, %again.loop ], [ %id, %before ]
  store i32 %k, ptr addrspace(1) %p
  %k.next = add i32 %k, 1
  %k.again = icmp slt i32 %k.next, %n
  br i1 %k.again, label %again.loop, label %end
end:
  ret void
}

; The guard has been simplified for the first round, and sums that are added behind the loop are zero without one.
; CHECK-LABEL: @sums(
; CHECK: entry:
; CHECK: br label %head
; CHECK: head:
; CHECK: %[[TEST:.*]] = icmp ult i32 %i, %n
; CHECK: br i1 %[[TEST]], label %loop, label %tail
; CHECK: tail:
; CHECK-NEXT: %whole = fadd float %a, %b
; CHECK: end:
; CHECK-NEXT: phi float [ %whole, %tail ]
define float @sums(ptr addrspace(1) %in, i32 %n) {
entry:
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %loop
loop:
  %i = phi i32 [ %next, %loop ], [ 0, %entry ]
  %a = phi float [ %a.next, %loop ], [ 0.0, %entry ]
  %b = phi float [ %b.next, %loop ], [ 0.0, %entry ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %a.next = fadd float %a, %v
  %b.next = fmul float %b, %v
  %next = add i32 %i, 4
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %tail
tail:
  %whole = fadd float %a.next, %b.next
  br label %end
end:
  %result = phi float [ %whole, %tail ], [ 0.0, %entry ]
  ret float %result
}

; A loop that counts to a number asks whether it is below.
; CHECK-LABEL: @counted(
; CHECK: head:
; CHECK: %[[TEST:.*]] = icmp sge i32 %i, %n
; CHECK: br i1 %[[TEST]], label %end, label %loop
define void @counted(ptr addrspace(1) %p, i32 %n) {
entry:
  %any = icmp sgt i32 %n, 2
  br i1 %any, label %loop, label %end
loop:
  %i = phi i32 [ %next, %loop ], [ 2, %entry ]
  store i32 %i, ptr addrspace(1) %p
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Steps of two may miss the number; another number is asked for; the guard's way has another result; what is behind the
; loop must not be done without a round.
; CHECK-LABEL: @others(
; CHECK-NOT: head{{.*}}:
; CHECK: ret i32
define i32 @others(ptr addrspace(1) %p, i32 %n) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %two, label %second
two:
  %i = phi i32 [ %i.next, %two ], [ 0, %entry ]
  store i32 %i, ptr addrspace(1) %p
  %i.next = add i32 %i, 2
  %i.done = icmp eq i32 %i.next, %n
  br i1 %i.done, label %second, label %two
second:
  %more = icmp sgt i32 %n, 1
  br i1 %more, label %late, label %third
late:
  %j = phi i32 [ %j.next, %late ], [ 0, %second ]
  store i32 %j, ptr addrspace(1) %p
  %j.next = add i32 %j, 1
  %j.done = icmp eq i32 %j.next, %n
  br i1 %j.done, label %third, label %late
third:
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %fourth, label %loop
loop:
  %k = phi i32 [ %k.next, %loop ], [ 0, %third ]
  store i32 %k, ptr addrspace(1) %p
  %k.next = add i32 %k, 1
  %k.again = icmp ult i32 %k.next, %n
  br i1 %k.again, label %loop, label %tail
tail:
  %more.than.k = add i32 %k.next, 1
  br label %fourth
fourth:
  %result = phi i32 [ %more.than.k, %tail ], [ 0, %third ]
  %again = icmp eq i32 %n, 0
  br i1 %again, label %end, label %last
last:
  %l = phi i32 [ %l.next, %last ], [ 0, %fourth ]
  %l.next = add i32 %l, 1
  %l.again = icmp ult i32 %l.next, %n
  br i1 %l.again, label %last, label %store
store:
  store i32 %l.next, ptr addrspace(1) %p
  br label %end
end:
  ret i32 %result
}

; A loop that counts an extended number down asks at the head what the guard asks before the extension; one that counts
; to another number does not.
; CHECK-LABEL: @down(
; CHECK: head:
; CHECK: %[[TEST:.*]] = icmp eq i64 %i, 0
; CHECK: br i1 %[[TEST]], label %{{.*}}, label %loop
; CHECK-NOT: head{{.*}}:
; CHECK: ret void
define void @down(ptr addrspace(1) %p, i32 %n) {
entry:
  %none = icmp eq i32 %n, 0
  br i1 %none, label %second, label %before
before:
  %n64 = zext i32 %n to i64
  br label %loop
loop:
  %i = phi i64 [ %next, %loop ], [ %n64, %before ]
  store i64 %i, ptr addrspace(1) %p
  %next = add i64 %i, -1
  %done = icmp eq i64 %next, 0
  br i1 %done, label %second, label %loop
second:
  %no = icmp eq i32 %n, 0
  br i1 %no, label %end, label %other
other:
  %m64 = zext i32 %n to i64
  br label %far
far:
  %j = phi i64 [ %j.next, %far ], [ %m64, %other ]
  store i64 %j, ptr addrspace(1) %p
  %j.next = add i64 %j, -1
  %j.done = icmp eq i64 %j.next, -4294967296
  br i1 %j.done, label %end, label %far
end:
  ret void
}
