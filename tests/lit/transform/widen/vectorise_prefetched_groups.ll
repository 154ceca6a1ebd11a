; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; What a work-group reads before its first barrier it asks for in the next group's place too, each line once.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_id(i32) #0
declare i64 @clotho.group_base(i32) #0
declare i64 @clotho.local_size(i32) #0
declare void @clotho.barrier() #1

; Vectors of eight: a sub-group of four reads two lines.
; CHECK-LABEL: define spir_kernel void @by_number(
; CHECK: %[[NEXT:.*]] = add i64 %group, 1
; CHECK: %[[BEGIN:.*]] = shl i64 %[[NEXT]], 8
; CHECK: %[[INDEX:.*]] = add i64 %[[BEGIN]], %lid
; CHECK: %[[AT:.*]] = getelementptr <8 x i32>, ptr addrspace(1) %in, i64 %[[INDEX]]
; CHECK: call void @llvm.prefetch.p1(ptr addrspace(1) %[[AT]], i32 0, i32 2, i32 1)
; CHECK: %[[SECOND:.*]] = getelementptr i8, ptr addrspace(1) %[[AT]], i64 64
; CHECK: call void @llvm.prefetch.p1(ptr addrspace(1) %[[SECOND]], i32 0, i32 2, i32 1)
; CHECK-NOT: llvm.prefetch
; CHECK-LABEL: define internal spir_func void @by_number.predicated(
define spir_kernel void @by_number(ptr addrspace(1) %in, ptr addrspace(3) %tmp, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %group = call i64 @clotho.group_id(i32 0)
  %begin = shl i64 %group, 8
  %index = add i64 %begin, %lid
  %from = getelementptr <8 x i32>, ptr addrspace(1) %in, i64 %index
  %v = load <8 x i32>, ptr addrspace(1) %from, align 32
  %own = getelementptr <8 x i32>, ptr addrspace(3) %tmp, i64 %lid
  store <8 x i32> %v, ptr addrspace(3) %own, align 32
  call void @clotho.barrier()
  %mirrored = xor i64 %lid, 1
  %other = getelementptr <8 x i32>, ptr addrspace(3) %tmp, i64 %mirrored
  %w = load <8 x i32>, ptr addrspace(3) %other, align 32
  %to = getelementptr <8 x i32>, ptr addrspace(1) %out, i64 %index
  store <8 x i32> %w, ptr addrspace(1) %to, align 32
  ret void
}

; By global ids, in a branch.
; CHECK-LABEL: define spir_kernel void @by_id(
; CHECK: there:
; CHECK: %[[SIZE:.*]] = call {{.*}}i64 @clotho.local_size(i32 0)
; CHECK: add i64 %base, %[[SIZE]]
; CHECK: call void @llvm.prefetch
; CHECK-NOT: llvm.prefetch
; CHECK-LABEL: define internal spir_func void @by_id.predicated(
define spir_kernel void @by_id(ptr addrspace(1) %in, ptr addrspace(3) %tmp, ptr addrspace(1) %out, i64 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %base = call i64 @clotho.group_base(i32 0)
  %id = add i64 %base, %lid
  %is = icmp ult i64 %base, %n
  br i1 %is, label %there, label %next

there:
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %id
  %v = load i32, ptr addrspace(1) %from, align 4
  br label %next

next:
  %x = phi i32 [ %v, %there ], [ 0, %0 ]
  %own = getelementptr i32, ptr addrspace(3) %tmp, i64 %lid
  store i32 %x, ptr addrspace(3) %own, align 4
  call void @clotho.barrier()
  ; Behind the barrier: not in advance.
  %late = getelementptr i32, ptr addrspace(1) %out, i64 %id
  %w = load i32, ptr addrspace(1) %late, align 4
  %again = add i32 %w, %x
  store i32 %again, ptr addrspace(1) %late, align 4
  ret void
}

; Outputs are prefetched, too, before the kernel computes their addresses: all at once, marked.
; CHECK-LABEL: define spir_kernel void @stores(
; CHECK: call void @llvm.prefetch.p1(ptr addrspace(1) %{{.*}}, i32 0, i32 2, i32 1), !clotho.non_temporal
; CHECK: %[[GROUP:.*]] = call i64 @clotho.group_id(i32 0)
; CHECK: %[[NEXT:.*]] = add i64 %[[GROUP]], 1
; CHECK: call void @llvm.prefetch.p1(ptr addrspace(1) %{{.*}}, i32 1, i32 3, i32 1), !clotho.non_temporal
; CHECK-NOT: llvm.prefetch
; CHECK: call void @clotho.barrier()
; CHECK-LABEL: define internal spir_func void @stores.predicated(
define spir_kernel void @stores(ptr addrspace(1) %in, ptr addrspace(3) %tmp, ptr addrspace(1) %out) !clotho.facts !1 {
  %lid = call i64 @clotho.local_id(i32 0)
  %base = call i64 @clotho.group_base(i32 0)
  %id = add i64 %base, %lid
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %id
  %v = load i32, ptr addrspace(1) %from, align 4
  %own = getelementptr i32, ptr addrspace(3) %tmp, i64 %lid
  store i32 %v, ptr addrspace(3) %own, align 4
  call void @clotho.barrier()
  %group = call i64 @clotho.group_id(i32 0)
  %begin = shl i64 %group, 8
  %index = add i64 %begin, %lid
  %w = load i32, ptr addrspace(3) %own, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %index
  store i32 %w, ptr addrspace(1) %to, align 4, !clotho.non_temporal !0
  %sum = getelementptr i32, ptr addrspace(1) %out, i64 %group
  store i32 %w, ptr addrspace(1) %sum, align 4, !clotho.non_temporal !0
  ret void
}

; In a loop, the same for all groups, or in rows of which there are several: none.
; CHECK-LABEL: define spir_kernel void @others(
; CHECK-NOT: llvm.prefetch
define spir_kernel void @others(ptr addrspace(1) %in, ptr addrspace(3) %tmp, ptr addrspace(1) %out, i64 %n) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %group = call i64 @clotho.group_id(i32 0)
  %begin = shl i64 %group, 8
  %index = add i64 %begin, %lid
  %row = shl i64 %y, 12
  %in.row = add i64 %row, %index
  %a.at = getelementptr i32, ptr addrspace(1) %in, i64 %lid
  %a = load i32, ptr addrspace(1) %a.at, align 4
  %b.at = getelementptr i32, ptr addrspace(1) %in, i64 %in.row
  %b = load i32, ptr addrspace(1) %b.at, align 4
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi i32 [ %a, %entry ], [ %more, %loop ]
  %c.index = add i64 %index, %i
  %c.at = getelementptr i32, ptr addrspace(1) %in, i64 %c.index
  %c = load i32, ptr addrspace(1) %c.at, align 4
  %more = add i32 %sum, %c
  %i.next = add i64 %i, 1
  %goes.on = icmp ult i64 %i.next, %n
  br i1 %goes.on, label %loop, label %next

next:
  %total = add i32 %more, %b
  %own = getelementptr i32, ptr addrspace(3) %tmp, i64 %lid
  store i32 %total, ptr addrspace(3) %own, align 4
  call void @clotho.barrier()
  %w = load i32, ptr addrspace(3) %tmp, align 4
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %index
  store i32 %w, ptr addrspace(1) %to, align 4
  ret void
}

attributes #0 = { nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
!0 = !{}
!1 = !{!"non_temporal_units", i64 64}
