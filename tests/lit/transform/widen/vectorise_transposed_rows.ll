; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Rows that are neighbours in memory where lanes are far from each other: as many at once as make a line of the caches,
; which each lane accesses in one piece.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @transposed(
; CHECK-SAME: !clotho.facts ![[TRANSPOSED:[0-9]+]]
; CHECK-LABEL: define internal spir_func void @transposed.rows(
; CHECK: call i64 @clotho.local_id(i32 1)
; CHECK: add i64 %{{.*}}, 16
; CHECK-COUNT-16: load <4 x float>
; CHECK-NOT: load
; CHECK-NOT: scatter
; Two steps of four rows and four lanes, and what one lane then has of them.
; CHECK-COUNT-8: shufflevector <4 x float> %{{.*}}, <4 x float> %{{.*}}, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK-COUNT-4: store <16 x float>
; CHECK-NOT: store
; CHECK-LABEL: }
define spir_kernel void @transposed(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %w, i64 %h) !clotho.facts !0 {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %row = mul i64 %y, %w
  %from = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %in, i64 %from
  %v = load float, ptr addrspace(1) %p, align 4
  %column = mul i64 %x, %h
  %to = add i64 %column, %y
  %q = getelementptr float, ptr addrspace(1) %out, i64 %to
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; Sums of 32 bits: rows whose y would wrap around in between are left to the kernel as it was.
; CHECK-LABEL: define internal spir_func void @signed.rows(
; CHECK: icmp sle i32 %{{.*}}, 2147483632
; CHECK-COUNT-4: store <16 x float>
; CHECK-NOT: store
; CHECK-LABEL: }
define spir_kernel void @signed(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %h) {
  %x = call i64 @clotho.local_id(i32 0)
  %id = call i64 @clotho.local_id(i32 1)
  %ix = trunc i64 %x to i32
  %y = trunc i64 %id to i32
  %p = getelementptr float, ptr addrspace(1) %in, i64 %x
  %v = load float, ptr addrspace(1) %p, align 4
  %column = mul nsw i32 %ix, %h
  %to = add nsw i32 %column, %y
  %index = sext i32 %to to i64
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %index
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; Without signs an index may wrap around, where memory is so large.
; CHECK-LABEL: define spir_kernel void @unsigned(
; CHECK-SAME: !clotho.facts ![[UNSIGNED:[0-9]+]]
; CHECK-LABEL: define internal spir_func void @unsigned.rows(
; CHECK-COUNT-4: store <16 x float>
; CHECK-NOT: store
; CHECK-LABEL: }
define spir_kernel void @unsigned(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %h) {
  %x = call i64 @clotho.local_id(i32 0)
  %id = call i64 @clotho.local_id(i32 1)
  %ix = trunc i64 %x to i32
  %y = trunc i64 %id to i32
  %p = getelementptr float, ptr addrspace(1) %in, i64 %x
  %v = load float, ptr addrspace(1) %p, align 4
  %column = mul i32 %ix, %h
  %to = add i32 %column, %y
  %index = zext i32 %to to i64
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %index
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; Eight are a line of doubles, and the last row may come first: h - 1 - y.
; CHECK-LABEL: define internal spir_func void @turned.rows(
; CHECK: add i64 %{{.*}}, 8
; CHECK-COUNT-4: store <8 x double>
; CHECK-NOT: store
; CHECK-LABEL: }
define spir_kernel void @turned(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %w, i64 %h) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %row = mul i64 %y, %w
  %from = add i64 %row, %x
  %p = getelementptr double, ptr addrspace(1) %in, i64 %from
  %v = load double, ptr addrspace(1) %p, align 8
  %column = mul i64 %x, %h
  %back = xor i64 %y, -1
  %end = add i64 %column, %h
  %to = add i64 %end, %back
  %q = getelementptr double, ptr addrspace(1) %out, i64 %to
  store double %v, ptr addrspace(1) %q, align 8
  ret void
}

; A row further in memory leaves gaps.
; CHECK-NOT: @every_other.rows
define spir_kernel void @every_other(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %w, i64 %h) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %row = mul i64 %y, %w
  %from = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %in, i64 %from
  %v = load float, ptr addrspace(1) %p, align 4
  %column = mul i64 %x, %h
  %twice = shl i64 %y, 1
  %to = add i64 %column, %twice
  %q = getelementptr float, ptr addrspace(1) %out, i64 %to
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}

; The one store counts for little beside what a loop loads.
; CHECK-NOT: @sums.rows
define spir_kernel void @sums(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %w, i64 %h, i64 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %first = mul i64 %y, %n
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %k = add i64 %first, %i
  %row = mul i64 %k, %w
  %from = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %in, i64 %from
  %v = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %v
  %next = add nuw i64 %i, 1
  %go = icmp ult i64 %next, %n
  br i1 %go, label %loop, label %end

end:
  %column = mul i64 %x, %h
  %to = add i64 %column, %y
  %q = getelementptr float, ptr addrspace(1) %out, i64 %to
  store float %more, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-DAG: ![[TRANSPOSED]] = !{!"merged-row", i32 128, !"width", i32 4}
; CHECK-DAG: ![[UNSIGNED]] = !{{{.*}}!"largest-memory", i64

!0 = !{!"merged-row", i32 16384}

attributes #0 = { nounwind willreturn memory(none) }
