; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='print<waiting-loops>' %s -o /dev/null 2>&1 | %check
; Loops that go round until another work-item writes.

; CHECK-LABEL: waiting-loops of 'k':
; CHECK-NEXT: waits: the loop at %flag
; CHECK-NEXT: waits: the loop at %lock
; CHECK-NOT: waits
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  br label %flag
flag:
  %seen = load volatile i32, ptr addrspace(1) %a
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %lock, label %flag
lock:
  %old = atomicrmw xchg ptr addrspace(1) %a, i32 1 acquire
  %taken = icmp eq i32 %old, 0
  br i1 %taken, label %count, label %lock
count:
  %k = phi i32 [ 0, %lock ], [ %next, %count ]
  %more = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic
  %next = add i32 %k, 1
  %last = icmp eq i32 %next, 10
  br i1 %last, label %end, label %count
end:
  ret void
}
