; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=narrow-counters %s | %check
; Loop variables of which only 32 bits are needed have no more.

; CHECK-LABEL: @strided(
; CHECK: %[[I:.*]] = phi i32 [ %{{.*}}, %loop ], [ %{{.*}}, %entry ]
; CHECK: %[[WIDE:.*]] = sext i32 %[[I]] to i64
; CHECK: getelementptr float, ptr addrspace(1) %in, i64 %[[WIDE]]
; CHECK: %[[NEXT:.*]] = add i32 %{{.*}}
; CHECK-NEXT: icmp slt i32 %[[NEXT]], %n
; CHECK-NOT: phi i64
; CHECK: ret float
define float @strided(ptr addrspace(1) %in, i64 %id, i64 %size, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %next, %loop ], [ %id, %entry ]
  %sum = phi float [ %more, %loop ], [ 0.0, %entry ]
  %high = shl i64 %i, 32
  %index = ashr i64 %high, 32
  %p = getelementptr float, ptr addrspace(1) %in, i64 %index
  %v = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %v
  %next = add i64 %index, %size
  %short = trunc i64 %next to i32
  %again = icmp slt i32 %short, %n
  br i1 %again, label %loop, label %end
end:
  ret float %more
}

; CHECK-LABEL: @wide(
; CHECK: phi i64
define float @wide(ptr addrspace(1) %in, i64 %id, i64 %size, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %next, %loop ], [ %id, %entry ]
  %sum = phi float [ %more, %loop ], [ 0.0, %entry ]
  %p = getelementptr float, ptr addrspace(1) %in, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %v
  %next = add i64 %i, %size
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret float %more
}

; Results whose upper half nothing needs keep no promise about it: the counter's would be broken from 2^31 on.
; CHECK-LABEL: define i32 @promises(
; CHECK-NOT: nuw
; CHECK: ret
define i32 @promises(i64 %n, ptr addrspace(1) %p) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %after = add nuw i64 %i, 7
  %low = trunc i64 %after to i32
  store volatile i32 %low, ptr addrspace(1) %p, align 4
  %next = add nuw i64 %i, 5
  %short = trunc i64 %next to i32
  %more = icmp ult i32 %short, 1000000
  br i1 %more, label %loop, label %end

end:
  ret i32 %low
}
