; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise %s | %check
; With registers of 512 bits. The widest type of what lanes compute with says how many there are; where rounds of a loop
; wait for each other, each value is several vectors; what only moves memory takes no more than four at once.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-DAG: define spir_kernel void @bytes({{.*}}) !clotho.facts ![[W64:[0-9]+]] {
define spir_kernel void @bytes(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %lid
  %x = load i8, ptr addrspace(1) %p, align 1
  %y = xor i8 %x, 85
  %q = getelementptr i8, ptr addrspace(1) %out, i64 %lid
  store i8 %y, ptr addrspace(1) %q, align 1
  ret void
}

; CHECK-DAG: define spir_kernel void @floats({{.*}}) !clotho.facts ![[W16:[0-9]+]] {
define spir_kernel void @floats(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %lid
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fmul float %x, 3.0
  %q = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %y, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-DAG: define spir_kernel void @doubles({{.*}}) !clotho.facts ![[W8:[0-9]+]] {
define spir_kernel void @doubles(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr double, ptr addrspace(1) %a, i64 %lid
  %x = load double, ptr addrspace(1) %p, align 8
  %y = fmul double %x, 3.0
  %q = getelementptr double, ptr addrspace(1) %out, i64 %lid
  store double %y, ptr addrspace(1) %q, align 8
  ret void
}

; CHECK-DAG: define spir_kernel void @chain({{.*}}) !clotho.facts ![[W64]] {
define spir_kernel void @chain(ptr addrspace(1) %a, i32 %n) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %lid
  %first = load float, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi float [ %first, %entry ], [ %y, %loop ]
  %square = fmul float %x, %x
  %y = fadd float %square, 0.5
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  store float %y, ptr addrspace(1) %p, align 4
  ret void
}

; A sum of eight iterations: the processor overlaps it with the next sub-group.
; CHECK-DAG: define spir_kernel void @short_chain({{.*}}) !clotho.facts ![[W16]] {
define spir_kernel void @short_chain(ptr addrspace(1) %a) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %lid
  %first = load float, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi float [ %first, %entry ], [ %y, %loop ]
  %square = fmul float %x, %x
  %y = fadd float %square, 0.5
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, 8
  br i1 %more, label %loop, label %end

end:
  store float %y, ptr addrspace(1) %p, align 4
  ret void
}

; More vectors of a value do not help where one of them is gathered.
; CHECK-DAG: define spir_kernel void @gathered_chain({{.*}}) !clotho.facts ![[W16]] {
define spir_kernel void @gathered_chain(ptr addrspace(1) %a, ptr addrspace(1) %index, i32 %n) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %index, i64 %lid
  %where = load i32, ptr addrspace(1) %at, align 4
  %p = getelementptr float, ptr addrspace(1) %a, i32 %where
  %first = load float, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi float [ %first, %entry ], [ %y, %loop ]
  %square = fmul float %x, %x
  %y = fadd float %square, 0.5
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  store float %y, ptr addrspace(1) %at, align 4
  ret void
}

; CHECK-DAG: define spir_kernel void @copy({{.*}}) !clotho.facts ![[W4:[0-9]+]] {
define spir_kernel void @copy(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr <16 x float>, ptr addrspace(1) %a, i64 %lid
  %x = load <16 x float>, ptr addrspace(1) %p, align 64
  %q = getelementptr <16 x float>, ptr addrspace(1) %out, i64 %lid
  store <16 x float> %x, ptr addrspace(1) %q, align 64
  ret void
}

; As much memory, but more than four operations for each access.
; CHECK-DAG: define spir_kernel void @polynomial({{.*}}) !clotho.facts ![[W16]] {
define spir_kernel void @polynomial(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr <16 x float>, ptr addrspace(1) %a, i64 %lid
  %x = load <16 x float>, ptr addrspace(1) %p, align 64
  %a1 = fmul <16 x float> %x, %x
  %a2 = fadd <16 x float> %a1, splat (float 2.0)
  %a3 = fmul <16 x float> %a2, %x
  %a4 = fadd <16 x float> %a3, splat (float 3.0)
  %a5 = fmul <16 x float> %a4, %x
  %a6 = fadd <16 x float> %a5, splat (float 4.0)
  %a7 = fmul <16 x float> %a6, %x
  %a8 = fadd <16 x float> %a7, splat (float 5.0)
  %a9 = fmul <16 x float> %a8, %x
  %q = getelementptr <16 x float>, ptr addrspace(1) %out, i64 %lid
  store <16 x float> %a9, ptr addrspace(1) %q, align 64
  ret void
}

; Lanes part, but over bytes, of which there are four for each of the numbers that are stored.
; CHECK-DAG: define spir_kernel void @search({{.*}}) !clotho.facts ![[W64]] {
define spir_kernel void @search(ptr addrspace(1) %text, ptr addrspace(1) %pattern, ptr addrspace(1) %out, i64 %n) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %at = getelementptr i8, ptr addrspace(1) %text, i64 %lid
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %same ]
  %p = getelementptr i8, ptr addrspace(1) %at, i64 %k
  %x = load i8, ptr addrspace(1) %p, align 1
  %q = getelementptr i8, ptr addrspace(1) %pattern, i64 %k
  %y = load i8, ptr addrspace(1) %q, align 1
  %equal = icmp eq i8 %x, %y
  br i1 %equal, label %same, label %end

same:
  %next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end

end:
  %reached = phi i64 [ %k, %loop ], [ %n, %same ]
  %length = trunc i64 %reached to i32
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %lid
  store i32 %length, ptr addrspace(1) %o, align 4
  ret void
}

; Here as much is compared as is stored.
; CHECK-DAG: define spir_kernel void @search_of_ints({{.*}}) !clotho.facts ![[W16]] {
define spir_kernel void @search_of_ints(ptr addrspace(1) %text, ptr addrspace(1) %pattern, ptr addrspace(1) %out, i64 %n) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %text, i64 %lid
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %next, %same ]
  %p = getelementptr i32, ptr addrspace(1) %at, i64 %k
  %x = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %pattern, i64 %k
  %y = load i32, ptr addrspace(1) %q, align 4
  %equal = icmp eq i32 %x, %y
  br i1 %equal, label %same, label %end

same:
  %next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end

end:
  %reached = phi i64 [ %k, %loop ], [ %n, %same ]
  %length = trunc i64 %reached to i32
  %o = getelementptr i32, ptr addrspace(1) %out, i64 %lid
  store i32 %length, ptr addrspace(1) %o, align 4
  ret void
}

; A search within a loop that lanes leave apart over floats: as wide as these.
; CHECK-DAG: define spir_kernel void @search_and_more({{.*}}) !clotho.facts ![[W16]] {
define spir_kernel void @search_and_more(ptr addrspace(1) %text, ptr addrspace(1) %pattern, ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %at = getelementptr i8, ptr addrspace(1) %text, i64 %lid
  %from = getelementptr float, ptr addrspace(1) %in, i64 %lid
  %c = load float, ptr addrspace(1) %from, align 4
  br label %outer

outer:
  %v = phi float [ %c, %entry ], [ %v.next, %end ]
  br label %loop

loop:
  %k = phi i64 [ 0, %outer ], [ %next, %same ]
  %p = getelementptr i8, ptr addrspace(1) %at, i64 %k
  %x = load i8, ptr addrspace(1) %p, align 1
  %q = getelementptr i8, ptr addrspace(1) %pattern, i64 %k
  %y = load i8, ptr addrspace(1) %q, align 1
  %equal = icmp eq i8 %x, %y
  br i1 %equal, label %same, label %end

same:
  %next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end

end:
  %square = fmul float %v, %v
  %v.next = fadd float %square, %c
  %goes.on = fcmp olt float %v.next, 4.0
  br i1 %goes.on, label %outer, label %done

done:
  %o = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %v.next, ptr addrspace(1) %o, align 4
  ret void
}

; Work-items may count on going in step.
; CHECK-DAG: define spir_kernel void @in_step({{.*}}) !clotho.facts ![[STEP:[0-9]+]] {
define spir_kernel void @in_step(ptr addrspace(1) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %lid
  %x = load volatile float, ptr addrspace(1) %p, align 4
  %y = fmul float %x, 3.0
  %q = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %y, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-DAG: ![[W4]] = !{!"width", i32 4, !"may-change-width", i1 true}
; CHECK-DAG: ![[W8]] = !{!"width", i32 8, !"may-change-width", i1 true}
; CHECK-DAG: ![[W16]] = !{!"width", i32 16, !"may-change-width", i1 true}
; CHECK-DAG: ![[W64]] = !{!"width", i32 64, !"may-change-width", i1 true}

attributes #0 = { nounwind willreturn speculatable memory(none) }
; CHECK-DAG: ![[STEP]] = !{!"width", i32 16, !"may-change-width", i1 true, !"may-only-widen", i1 true}
