; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Each lane reads a row of short vectors. Consecutive rows are prefetched in memory order, 16 KiB ahead; for other rows,
; each lane prefetches 16 rows ahead.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %is_one_stream = icmp eq i64
; CHECK: %[[OFFSET:.*]] = phi i64 [ 0
; CHECK: br i1 %is_one_stream
; CHECK-LABEL: rows_ahead:
; CHECK: %[[SIXTEEN:.*]] = mul i64 16, %
; CHECK: %[[THERE:.*]] = add i64 %[[OFFSET]], %[[SIXTEEN]]
; CHECK: getelementptr i8, ptr addrspace(1) %[[ROW:.*]], i64 %[[THERE]]
; CHECK-COUNT-4: call void @llvm.prefetch
; CHECK-LABEL: ahead:
; CHECK: %[[LINES:.*]] = mul i64 %[[OFFSET]], 4
; CHECK: %[[FROM:.*]] = add i64 %[[LINES]], 16384
; CHECK: %[[AHEAD:.*]] = getelementptr i8, ptr addrspace(1) %[[ROW]], i64 %[[FROM]]
; CHECK: getelementptr i8, ptr addrspace(1) %[[AHEAD]], i64 64
; CHECK: getelementptr i8, ptr addrspace(1) %[[AHEAD]], i64 128
; CHECK: getelementptr i8, ptr addrspace(1) %[[AHEAD]], i64 192
; CHECK: call void @llvm.prefetch
; CHECK-NOT: llvm.prefetch
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK-NOT: is_one_stream
define spir_kernel void @k(ptr addrspace(1) %rows, ptr addrspace(1) %out, i64 %columns) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %begin = mul i64 %lid, %columns
  %row = getelementptr <4 x float>, ptr addrspace(1) %rows, i64 %begin
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %p = getelementptr <4 x float>, ptr addrspace(1) %row, i64 %i
  %x = load <4 x float>, ptr addrspace(1) %p, align 16
  %more = fadd <4 x float> %sum, %x
  %next = add nuw nsw i64 %i, 1
  %on = icmp ult i64 %next, %columns
  br i1 %on, label %loop, label %done

done:
  %o = getelementptr <4 x float>, ptr addrspace(1) %out, i64 %lid
  store <4 x float> %more, ptr addrspace(1) %o, align 16
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }

; Without a loop over sub-groups, work-items have a local id.
; CHECK-LABEL: define spir_kernel void @required(
; CHECK: %[[BYTES:.*]] = shl i64 %columns, 4
; CHECK: %is_one_stream = icmp eq i64 %[[BYTES]], %
define spir_kernel void @required(ptr addrspace(1) %rows, ptr addrspace(1) %out, i64 %columns) !reqd_work_group_size !0 {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %begin = mul i64 %lid, %columns
  %row = getelementptr <4 x float>, ptr addrspace(1) %rows, i64 %begin
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %p = getelementptr <4 x float>, ptr addrspace(1) %row, i64 %i
  %x = load <4 x float>, ptr addrspace(1) %p, align 16
  %more = fadd <4 x float> %sum, %x
  %next = add nuw nsw i64 %i, 1
  %on = icmp ult i64 %next, %columns
  br i1 %on, label %loop, label %done

done:
  %o = getelementptr <4 x float>, ptr addrspace(1) %out, i64 %lid
  store <4 x float> %more, ptr addrspace(1) %o, align 16
  ret void
}

!0 = !{i32 64, i32 1, i32 1}
