; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='print<waiting-loops>' %s -o /dev/null 2>&1 | %check
; Loops that try an exchange again. Those that wait must say so, or work-items wait for each other for ever.

; The place is read in each round.
; CHECK-LABEL: waiting-loops of 'reads_again':
; CHECK-NOT: waits
define spir_kernel void @reads_again(ptr addrspace(1) %a, float %x) {
entry:
  br label %loop
loop:
  %old = load volatile float, ptr addrspace(1) %a
  %expected = bitcast float %old to i32
  %sum = fadd float %old, %x
  %new = bitcast float %sum to i32
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %expected, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; The address is computed twice: the index is loaded twice, and nothing in the loop changes it.
; CHECK-LABEL: waiting-loops of 'computes_the_place_twice':
; CHECK-NOT: waits
define spir_kernel void @computes_the_place_twice(ptr addrspace(1) %a, ptr addrspace(1) %index) {
entry:
  br label %loop
loop:
  %i = load i64, ptr addrspace(1) %index
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %old = load atomic i32, ptr addrspace(1) %p seq_cst, align 4
  %j = load i64, ptr addrspace(1) %index
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %j
  %new = add i32 %old, 5
  %pair = cmpxchg ptr addrspace(1) %q, i32 %old, i32 %new seq_cst seq_cst
  %found = extractvalue { i32, i1 } %pair, 0
  %failed = icmp ne i32 %found, %old
  br i1 %failed, label %loop, label %end
end:
  ret void
}

; But another place is not the same.
; CHECK-LABEL: waiting-loops of 'reads_another_place':
; CHECK: waits: the loop at %loop
define spir_kernel void @reads_another_place(ptr addrspace(1) %a) {
entry:
  %q = getelementptr i32, ptr addrspace(1) %a, i64 1
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %q
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 7 monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; What the last exchange found is expected next, also as a rotated loop has it.
; CHECK-LABEL: waiting-loops of 'expects_what_it_found':
; CHECK-NOT: waits
define spir_kernel void @expects_what_it_found(ptr addrspace(4) %a, ptr addrspace(4) %b) {
entry:
  %first = load atomic volatile i64, ptr addrspace(4) %a monotonic, align 8
  br label %loop
loop:
  %old = phi i64 [ %first, %entry ], [ %next, %loop ]
  %new = add i64 %old, 5
  %pair = cmpxchg weak volatile ptr addrspace(4) %a, i64 %old, i64 %new monotonic monotonic, align 8
  %found = extractvalue { i64, i1 } %pair, 0
  %ok = extractvalue { i64, i1 } %pair, 1
  %next = select i1 %ok, i64 %old, i64 %found
  br i1 %ok, label %second, label %loop
second:
  %begin = cmpxchg ptr addrspace(4) %b, i64 0, i64 1 monotonic monotonic, align 8
  br label %rotated
rotated:
  %carried = phi { i64, i1 } [ %begin, %second ], [ %pair2, %rotated ]
  %old2 = extractvalue { i64, i1 } %carried, 0
  %new2 = add i64 %old2, 5
  %pair2 = cmpxchg ptr addrspace(4) %b, i64 %old2, i64 %new2 monotonic monotonic, align 8
  %ok2 = extractvalue { i64, i1 } %pair2, 1
  br i1 %ok2, label %end, label %rotated
end:
  ret void
}

; A reader's lock: what the writer has set is taken out of what is expected.
; CHECK-LABEL: waiting-loops of 'expects_less_than_it_found':
; CHECK: waits: the loop at %loop
define spir_kernel void @expects_less_than_it_found(ptr addrspace(1) %a) {
entry:
  br label %loop
loop:
  %old = phi i32 [ 0, %entry ], [ %next, %loop ]
  %new = add i32 %old, 2
  %pair = cmpxchg ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %next = and i32 %found, -2
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; A semaphore: some rounds try no exchange.
; CHECK-LABEL: waiting-loops of 'goes_round_without_exchange':
; CHECK: waits: the loop at %loop
define spir_kernel void @goes_round_without_exchange(ptr addrspace(1) %a) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %a
  %none = icmp eq i32 %old, 0
  br i1 %none, label %loop, label %try
try:
  %new = sub i32 %old, 1
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; A lock that was taken may have been taken before.
; CHECK-LABEL: waiting-loops of 'goes_round_after_success':
; CHECK: waits: the loop at %loop
define spir_kernel void @goes_round_after_success(ptr addrspace(1) %a) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %a
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 1 monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  %free = icmp eq i32 %old, 0
  %taken = and i1 %ok, %free
  br i1 %taken, label %end, label %loop
end:
  ret void
}

; A largest number: what is large enough already ends the loop, and a number says how a round has ended.
; CHECK-LABEL: waiting-loops of 'ends_early':
; CHECK-NOT: waits
define spir_kernel void @ends_early(ptr addrspace(1) %a, i32 %x) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %a
  %enough = icmp sge i32 %old, %x
  br i1 %enough, label %cleanup, label %try
try:
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 %x monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  %how = select i1 %ok, i32 3, i32 0
  br label %cleanup
cleanup:
  %goes = phi i32 [ 3, %loop ], [ %how, %try ]
  switch i32 %goes, label %never [
    i32 0, label %loop
    i32 3, label %end
  ]
never:
  unreachable
end:
  ret void
}

; A list's head: the store of what is expected changes nothing that is expected.
; CHECK-LABEL: waiting-loops of 'pushes':
; CHECK-NOT: waits
define spir_kernel void @pushes(ptr addrspace(1) %list, i64 %i, i32 %me) {
entry:
  %node = getelementptr i32, ptr addrspace(1) %list, i64 %i
  br label %loop
loop:
  %head = load volatile i32, ptr addrspace(1) %list
  store i32 %head, ptr addrspace(1) %node
  %pair = cmpxchg volatile ptr addrspace(1) %list, i32 %head, i32 %me release monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; Here the loop itself makes the exchange fail.
; CHECK-LABEL: waiting-loops of 'writes_meanwhile':
; CHECK: waits: the loop at %loop
define spir_kernel void @writes_meanwhile(ptr addrspace(1) %list, i64 %i, i32 %me) {
entry:
  %node = getelementptr i32, ptr addrspace(1) %list, i64 %i
  br label %loop
loop:
  %head = load volatile i32, ptr addrspace(1) %list
  store i32 %me, ptr addrspace(1) %node
  %pair = cmpxchg volatile ptr addrspace(1) %list, i32 %head, i32 %me release monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; A sum by two exchanges: the second finds the zero that the first has left, unless others came between.
; CHECK-LABEL: waiting-loops of 'exchanges_twice':
; CHECK-NOT: waits
define spir_kernel void @exchanges_twice(ptr addrspace(1) %a, float %x) {
entry:
  br label %loop
loop:
  %mine = phi float [ %x, %entry ], [ %rest, %loop ]
  %old = atomicrmw volatile xchg ptr addrspace(1) %a, i32 0 monotonic
  %was = bitcast i32 %old to float
  %sum = fadd float %mine, %was
  %new = bitcast float %sum to i32
  %left = atomicrmw volatile xchg ptr addrspace(1) %a, i32 %new monotonic
  %rest = bitcast i32 %left to float
  %more = fcmp une float %rest, 0.0
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: waiting-loops of 'exchanges_once':
; CHECK: waits: the loop at %loop
define spir_kernel void @exchanges_once(ptr addrspace(1) %a) {
entry:
  br label %loop
loop:
  %old = atomicrmw volatile xchg ptr addrspace(1) %a, i32 1 monotonic
  %taken = icmp ne i32 %old, 0
  br i1 %taken, label %loop, label %end
end:
  ret void
}

; A lock in a loop of exchanges, and the wait for a flag in another.
; CHECK-LABEL: waiting-loops of 'waits_inside':
; CHECK-NEXT: waits: the loop at %lock
; CHECK-NEXT: waits: the loop at %flagged
; CHECK-NOT: waits
define spir_kernel void @waits_inside(ptr addrspace(1) %a, ptr addrspace(1) %locks) {
entry:
  br label %loop
loop:
  %old = load volatile i32, ptr addrspace(1) %a
  br label %lock
lock:
  %got = cmpxchg volatile ptr addrspace(1) %locks, i32 0, i32 1 monotonic monotonic
  %free = extractvalue { i32, i1 } %got, 1
  br i1 %free, label %try, label %lock
try:
  store volatile i32 0, ptr addrspace(1) %locks
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 7 monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %flagged, label %loop
flagged:
  %more = load volatile i32, ptr addrspace(1) %a
  %flag = load volatile i32, ptr addrspace(1) %locks
  %set = icmp eq i32 %flag, 0
  br i1 %set, label %once, label %flagged
once:
  %last = cmpxchg volatile ptr addrspace(1) %a, i32 %more, i32 7 monotonic monotonic
  %ok2 = extractvalue { i32, i1 } %last, 1
  br i1 %ok2, label %end, label %flagged
end:
  ret void
}

; Exchanges that always end, to set a bit; but the loop around them goes on until the bit was not set before.
; CHECK-LABEL: waiting-loops of 'lock_of_exchanges':
; CHECK-NEXT: waits: the loop at %outer
; CHECK-NOT: waits
define spir_kernel void @lock_of_exchanges(ptr addrspace(1) %a) {
entry:
  br label %outer
outer:
  br label %loop
loop:
  %old = phi i32 [ 0, %outer ], [ %found, %loop ]
  %new = or i32 %old, 1
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %latch, label %loop
latch:
  %bit = and i32 %old, 1
  %taken = icmp ne i32 %bit, 0
  br i1 %taken, label %outer, label %end
end:
  ret void
}

; A loop that ends by itself around them, with several ways through.
; CHECK-LABEL: waiting-loops of 'in_a_loop':
; CHECK-NOT: waits
define spir_kernel void @in_a_loop(ptr addrspace(1) %a, ptr addrspace(1) %nodes) {
entry:
  br label %outer
outer:
  %node = phi i64 [ 1, %entry ], [ %next, %latch ]
  %odd = trunc i64 %node to i1
  br i1 %odd, label %loop, label %latch
loop:
  %old = load volatile i32, ptr addrspace(1) %a
  %new = add i32 %old, 5
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %latch, label %loop
latch:
  %step = phi i64 [ 3, %outer ], [ 4, %loop ]
  %from = add i64 %node, %step
  %p = getelementptr i64, ptr addrspace(1) %nodes, i64 %from
  %next = load i64, ptr addrspace(1) %p
  %done = icmp eq i64 %next, 0
  br i1 %done, label %end, label %outer
end:
  ret void
}

; An insertion: places are free or taken for good, and each round that goes on has found one taken.
; CHECK-LABEL: waiting-loops of 'inserts':
; CHECK-NOT: waits
define spir_kernel void @inserts(ptr addrspace(1) %table, ptr addrspace(1) %counts, i32 %key) {
entry:
  br label %loop
loop:
  %h = phi i32 [ %key, %entry ], [ %next, %on ]
  %i = zext i32 %h to i64
  %p = getelementptr i32, ptr addrspace(1) %table, i64 %i
  %seen = load volatile i32, ptr addrspace(1) %p
  %empty = icmp eq i32 %seen, 0
  br i1 %empty, label %try, label %look
try:
  %pair = cmpxchg volatile ptr addrspace(1) %p, i32 0, i32 %key monotonic monotonic
  %found = extractvalue { i32, i1 } %pair, 0
  br label %look
look:
  %old = phi i32 [ %found, %try ], [ %seen, %loop ]
  %free = icmp eq i32 %old, 0
  %mine = icmp eq i32 %old, %key
  %done = select i1 %free, i1 true, i1 %mine
  br i1 %done, label %end, label %on
on:
  %sum = add i32 %h, 1
  %next = and i32 %sum, 1023
  br label %loop
end:
  %count = getelementptr i32, ptr addrspace(1) %counts, i64 %i
  %n = atomicrmw volatile add ptr addrspace(1) %count, i32 1 monotonic
  ret void
}

; A pool of places, which are given back.
; CHECK-LABEL: waiting-loops of 'gives_back':
; CHECK: waits: the loop at %loop
define spir_kernel void @gives_back(ptr addrspace(1) %pool, i32 %begin) {
entry:
  br label %loop
loop:
  %h = phi i32 [ %begin, %entry ], [ %next, %loop ]
  %i = zext i32 %h to i64
  %p = getelementptr i32, ptr addrspace(1) %pool, i64 %i
  %pair = cmpxchg volatile ptr addrspace(1) %p, i32 0, i32 1 monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  %sum = add i32 %h, 1
  %next = and i32 %sum, 7
  br i1 %ok, label %end, label %loop
end:
  store volatile i32 0, ptr addrspace(1) %p
  ret void
}

; A reader that looks at all places until one is taken, and the lock that is one place.
; CHECK-LABEL: waiting-loops of 'looks_for_taken':
; CHECK-NEXT: waits: the loop at %loop
; CHECK-NEXT: waits: the loop at %lock
define spir_kernel void @looks_for_taken(ptr addrspace(1) %pool, ptr addrspace(1) %lock.at, i32 %begin) {
entry:
  br label %loop
loop:
  %h = phi i32 [ %begin, %entry ], [ %next, %loop ]
  %i = zext i32 %h to i64
  %p = getelementptr i32, ptr addrspace(1) %pool, i64 %i
  %pair = cmpxchg volatile ptr addrspace(1) %p, i32 0, i32 0 monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  %sum = add i32 %h, 1
  %next = and i32 %sum, 7
  br i1 %ok, label %loop, label %lock
lock:
  %got = cmpxchg volatile ptr addrspace(1) %lock.at, i32 0, i32 1 monotonic monotonic
  %free = extractvalue { i32, i1 } %got, 1
  br i1 %free, label %end, label %lock
end:
  ret void
}

; An insertion that goes to another place only when a flag says so.
; CHECK-LABEL: waiting-loops of 'moves_by_flag':
; CHECK: waits: the loop at %loop
define spir_kernel void @moves_by_flag(ptr addrspace(1) %table, ptr addrspace(1) %flag, i32 %key) {
entry:
  br label %loop
loop:
  %h = phi i32 [ %key, %entry ], [ %next, %loop ]
  %i = zext i32 %h to i64
  %p = getelementptr i32, ptr addrspace(1) %table, i64 %i
  %pair = cmpxchg volatile ptr addrspace(1) %p, i32 0, i32 %key monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  %step = load volatile i32, ptr addrspace(1) %flag
  %sum = add i32 %h, %step
  %next = and i32 %sum, 1023
  br i1 %ok, label %end, label %loop
end:
  ret void
}

@table = internal addrspace(3) global [1024 x i32] poison
declare void @clotho.barrier() convergent
declare i64 @clotho.local_id(i32)

; Local memory is emptied before a barrier, so no work-item does so while another one inserts.
; CHECK-LABEL: waiting-loops of 'inserts_after_barrier':
; CHECK-NOT: waits
define spir_kernel void @inserts_after_barrier(i32 %key) {
entry:
  %l = call i64 @clotho.local_id(i32 0)
  %own = getelementptr i32, ptr addrspace(3) @table, i64 %l
  store i32 0, ptr addrspace(3) %own
  call void @clotho.barrier()
  br label %loop
loop:
  %h = phi i32 [ %key, %entry ], [ %next, %loop ]
  %i = zext i32 %h to i64
  %p = getelementptr i32, ptr addrspace(3) @table, i64 %i
  %pair = cmpxchg volatile ptr addrspace(3) %p, i32 0, i32 %key monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  %sum = add i32 %h, 1
  %next = and i32 %sum, 1023
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; It is emptied again without a barrier.
; CHECK-LABEL: waiting-loops of 'empties_after_insertion':
; CHECK: waits: the loop at %loop
define spir_kernel void @empties_after_insertion(i32 %key, i32 %n) {
entry:
  %l = call i64 @clotho.local_id(i32 0)
  %own = getelementptr i32, ptr addrspace(3) @table, i64 %l
  br label %outer
outer:
  %k = phi i32 [ 0, %entry ], [ %more, %latch ]
  store i32 0, ptr addrspace(3) %own
  call void @clotho.barrier()
  br label %loop
loop:
  %h = phi i32 [ %key, %outer ], [ %next, %loop ]
  %i = zext i32 %h to i64
  %p = getelementptr i32, ptr addrspace(3) @table, i64 %i
  %pair = cmpxchg volatile ptr addrspace(3) %p, i32 0, i32 %key monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  %sum = add i32 %h, 1
  %next = and i32 %sum, 1023
  br i1 %ok, label %latch, label %loop
latch:
  %more = add i32 %k, 1
  %last = icmp eq i32 %more, %n
  br i1 %last, label %end, label %outer
end:
  ret void
}

; How often the exchange was tried depends on others, although its loop ends without them.
; CHECK-LABEL: waiting-loops of 'waits_for_a_failure':
; CHECK: waits: the loop at %loop
; CHECK-NOT: waits: the loop at %try
define spir_kernel void @waits_for_a_failure(ptr addrspace(1) %a) {
entry:
  br label %loop
loop:
  br label %try
try:
  %n = phi i32 [ 0, %loop ], [ %more, %try ]
  %old = load volatile i32, ptr addrspace(1) %a
  %new = add i32 %old, 1
  %pair = cmpxchg volatile ptr addrspace(1) %a, i32 %old, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  %more = add i32 %n, 1
  br i1 %ok, label %done, label %try
done:
  %never = icmp eq i32 %n, 0
  br i1 %never, label %loop, label %end
end:
  ret void
}
