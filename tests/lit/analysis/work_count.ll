; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='print<work-count>' %s -o /dev/null 2>&1 | %check
; Floating-point operations and bytes of global memory of an average work-item.

declare i64 @clotho.global_id(i32)
declare float @llvm.fma.f32(float, float, float)

; CHECK-LABEL: work-count of 'straight':
; CHECK-NEXT: floating-point operations: 3.00
; CHECK-NEXT: bytes: 12.00
define void @straight(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(3) %local) {
  %x = load float, ptr addrspace(1) %a
  %y = load float, ptr addrspace(1) %b
  %l = load float, ptr addrspace(3) %local
  %fused = call float @llvm.fma.f32(float %x, float %y, float %l)
  %sum = fadd float %fused, %y
  store float %sum, ptr addrspace(1) %a
  ret void
}

; CHECK-LABEL: work-count of 'vectors':
; CHECK-NEXT: floating-point operations: 4.00
; CHECK-NEXT: bytes: 32.00
define void @vectors(ptr addrspace(1) %a) {
  %x = load <4 x float>, ptr addrspace(1) %a
  %y = fmul <4 x float> %x, %x
  store <4 x float> %y, ptr addrspace(1) %a
  ret void
}

; The trip count is an argument.
; CHECK-LABEL: work-count of 'counted':
; CHECK-NEXT: floating-point operations: 1.00 * argument 1
; CHECK-NEXT: bytes: 4.00 * argument 1
define void @counted(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %header
header:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %goes = icmp slt i32 %i, %n
  br i1 %goes, label %body, label %exit
body:
  %index = sext i32 %i to i64
  %at = getelementptr float, ptr addrspace(1) %a, i64 %index
  %x = load float, ptr addrspace(1) %at
  %more = fadd float %sum, %x
  %next = add nsw i32 %i, 1
  br label %header
exit:
  ret void
}

; The inner loop goes from the outer one's counter to 100: 50.5 times on average.
; CHECK-LABEL: work-count of 'triangle':
; CHECK-NEXT: floating-point operations: 5050.00
; CHECK-NEXT: bytes: 0
define void @triangle(float %x) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %nextI, %latch ]
  br label %inner
inner:
  %j = phi i32 [ %i, %outer ], [ %nextJ, %inner ]
  %y = fmul float %x, %x
  %nextJ = add nsw i32 %j, 1
  %more = icmp slt i32 %nextJ, 100
  br i1 %more, label %inner, label %latch
latch:
  %nextI = add nsw i32 %i, 1
  %again = icmp slt i32 %nextI, 100
  br i1 %again, label %outer, label %exit
exit:
  ret void
}

; A guard counts as passed, and sides of an `if` with `else` as run by half of the work-items each.
; CHECK-LABEL: work-count of 'branches':
; CHECK-NEXT: floating-point operations: 2.50
define void @branches(float %x, i1 %guard, i1 %side) {
entry:
  br i1 %guard, label %inside, label %exit
inside:
  %y = fmul float %x, %x
  br i1 %side, label %left, label %right
left:
  %z = fmul float %y, %x
  %w = fadd float %z, %x
  br label %join
right:
  %v = fadd float %x, %x
  br label %join
join:
  br label %exit
exit:
  ret void
}

; A loop that ends by what it reads has no count, and what is not in it has no effect on that.
; CHECK-LABEL: work-count of 'search':
; CHECK-NEXT: floating-point operations: 1.00
; CHECK-NEXT: bytes: unknown
define void @search(ptr addrspace(1) %a, float %x) {
entry:
  %y = fadd float %x, %x
  br label %loop
loop:
  %at = phi ptr addrspace(1) [ %a, %entry ], [ %next, %loop ]
  %value = load i32, ptr addrspace(1) %at
  %next = getelementptr i32, ptr addrspace(1) %at, i64 1
  %done = icmp eq i32 %value, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
