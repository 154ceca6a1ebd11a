; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='print<index-bounds>' %s -o /dev/null 2>&1 | %check
; How large memory may be for an index of 32 bits to be far from where it wraps around.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK-LABEL: index-bounds of 'k':
; CHECK: in memory of 16911433728 bytes: %unsigned = zext i32 %i to i64
; CHECK: in memory of 8321499136 bytes: %signed = sext i32 %i to i64
; CHECK: in any memory: %tile = sext i32 %i to i64
; CHECK: may wrap around: %kept = sext i32 %i to i64
; CHECK: may wrap around: %far = zext i32 %i to i64
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %t, i32 %i) {
  %unsigned = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %unsigned
  store i32 1, ptr addrspace(1) %p
  %signed = sext i32 %i to i64
  %next = add i64 %signed, 1
  %q = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %next
  store i32 1, ptr addrspace(1) %q
  %tile = sext i32 %i to i64
  %r = getelementptr inbounds i32, ptr addrspace(3) %t, i64 %tile
  store i32 1, ptr addrspace(3) %r
  %kept = sext i32 %i to i64
  store i64 %kept, ptr addrspace(1) %a
  %far = zext i32 %i to i64
  %below = sub i64 %far, 4294967296
  %s = getelementptr i32, ptr addrspace(1) %a, i64 %below
  store i32 1, ptr addrspace(1) %s
  ret void
}

; Pointers that go around loops, counted from where an access has to be in bounds; not where they are compared, too.
; CHECK-LABEL: index-bounds of 'walks':
; CHECK: in memory of 8321499136 bytes: %column = sext i32 %i to i64
; CHECK: may wrap around: %compared = sext i32 %i to i64
define spir_kernel void @walks(ptr addrspace(1) %a, ptr addrspace(1) %end, i32 %i, i64 %row) {
entry:
  %column = sext i32 %i to i64
  %first = getelementptr inbounds float, ptr addrspace(1) %a, i64 %column
  %compared = sext i32 %i to i64
  %begin = getelementptr inbounds float, ptr addrspace(1) %a, i64 %compared
  br label %loop

loop:
  %p = phi ptr addrspace(1) [ %first, %entry ], [ %below, %loop ]
  %q = phi ptr addrspace(1) [ %begin, %entry ], [ %next, %loop ]
  %x = load float, ptr addrspace(1) %p
  store float %x, ptr addrspace(1) %q
  %below = getelementptr inbounds float, ptr addrspace(1) %p, i64 %row
  %next = getelementptr inbounds float, ptr addrspace(1) %q, i64 %row
  %more = icmp ult ptr addrspace(1) %next, %end
  br i1 %more, label %loop, label %exit

exit:
  ret void
}
