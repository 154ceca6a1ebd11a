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
; CHECK-NEXT: %[[SUM:.*]] = add i64 %id, %[[PRODUCT]]
; CHECK-NEXT: %[[NEXT:.*]] = add i64 %[[INDEX]], 1
; CHECK-NEXT: %[[FROM:.*]] = getelementptr float, ptr addrspace(1) %in, i64 %[[SUM]]
; CHECK-NEXT: load float, ptr addrspace(1) %[[FROM]], align 4
; CHECK-NEXT: %[[TO:.*]] = getelementptr float, ptr %a, i64 %[[NEXT]]
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
