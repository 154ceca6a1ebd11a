; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=extend-indices %s | %check
; In kernels with barriers, indices that must not overflow are computed in 64 bits, what changes in a loop apart.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_base(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: define spir_kernel void @tile(
; CHECK: %[[N:.*]] = sext i32 %n to i64
; CHECK: %[[Y:.*]] = sext i32 %y to i64
; CHECK: loop:
; A counter of 64 bits beside the loop's own, which is extended nowhere.
; CHECK: %[[T:.*]] = phi i64 [ 0, %entry ], [ %[[NEXT:.*]], %loop ]
; CHECK: %[[STEP:.*]] = shl nsw i64 %[[T]], 4
; CHECK: %[[CHANGING:.*]] = mul nsw i64 %[[STEP]], %[[N]]
; CHECK: %[[ROW:.*]] = mul nsw i64 %[[Y]], %[[N]]
; CHECK: %[[INDEX:.*]] = add nsw i64 %[[CHANGING]], %[[ROW]]
; CHECK: getelementptr float, ptr addrspace(1) %in, i64 %[[INDEX]]
; What may overflow stays, and what is loaded.
; CHECK: %wraps = mul i32 %t, %n
; CHECK: sext i32 %wraps to i64
; CHECK: %sum = add nsw i32 %t, %loaded
; CHECK: sext i32 %sum to i64
; CHECK: %[[NEXT]] = add nsw i64 %[[T]], 1
define spir_kernel void @tile(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %lid = call i64 @clotho.local_id(i32 1)
  %base = call i64 @clotho.group_base(i32 1)
  %gid = add i64 %base, %lid
  %y = trunc i64 %gid to i32
  br label %loop

loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %step = shl nsw i32 %t, 4
  %row = add nsw i32 %step, %y
  %index = mul nsw i32 %row, %n
  %index64 = sext i32 %index to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %index64
  %x = load float, ptr addrspace(1) %p, align 4
  %wraps = mul i32 %t, %n
  %wraps64 = sext i32 %wraps to i64
  %q = getelementptr float, ptr addrspace(1) %out, i64 %wraps64
  store float %x, ptr addrspace(1) %q, align 4
  call void @clotho.barrier()
  %loaded = load i32, ptr addrspace(1) %out, align 4
  %sum = add nsw i32 %t, %loaded
  %sum64 = sext i32 %sum to i64
  %r = getelementptr float, ptr addrspace(1) %out, i64 %sum64
  store float %x, ptr addrspace(1) %r, align 4
  %next = add nuw nsw i32 %t, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

; Unsigned indices are extended only if they are known not to be negative and not to overflow as signed numbers. A
; subtraction inside a factor is multiplied out, too.
; CHECK-LABEL: define spir_kernel void @unsigned(
; CHECK: loop:
; CHECK-NOT: mul nsw i32
; CHECK: mul nsw i64
; CHECK: mul nsw i64
; CHECK: %[[DIFFERENCE:.*]] = sub nsw i64
; CHECK: getelementptr float, ptr addrspace(1) %in, i64 %[[DIFFERENCE]]
; CHECK: %plain = mul nsw i32 %t, %n
; CHECK: %plain64 = zext i32 %plain to i64
; CHECK: %other = mul nuw i32 %t, %n
; CHECK: %other64 = sext i32 %other to i64
define spir_kernel void @unsigned(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop

loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %rest = sub nsw i32 %n, %t
  %index = mul nsw i32 %rest, %n
  %index64 = zext nneg i32 %index to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %index64
  %x = load float, ptr addrspace(1) %p, align 4
  %plain = mul nsw i32 %t, %n
  %plain64 = zext i32 %plain to i64
  %q = getelementptr float, ptr addrspace(1) %out, i64 %plain64
  store float %x, ptr addrspace(1) %q, align 4
  %other = mul nuw i32 %t, %n
  %other64 = sext i32 %other to i64
  %r = getelementptr float, ptr addrspace(1) %out, i64 %other64
  store float %x, ptr addrspace(1) %r, align 4
  call void @clotho.barrier()
  %next = add nuw nsw i32 %t, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

; An id that is compared as a number of 64 bits, too, is left alone with all indices that it is part of.
; CHECK-LABEL: define spir_kernel void @compared(
; CHECK: %index = add nsw i32
; CHECK: sext i32 %index to i64
define spir_kernel void @compared(ptr addrspace(1) %in, i32 %n, i64 %limit) {
entry:
  %lid = call i64 @clotho.local_id(i32 1)
  %y = trunc i64 %lid to i32
  %y64 = sext i32 %y to i64
  br label %loop

loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %row = mul nsw i32 %t, %n
  %index = add nsw i32 %row, %y
  %index64 = sext i32 %index to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %index64
  store float 0.0, ptr addrspace(1) %p, align 4
  call void @clotho.barrier()
  %next = add nuw nsw i32 %t, 1
  %more = icmp slt i64 %y64, %limit
  br i1 %more, label %loop, label %end

end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @without(
; CHECK: mul nsw i32
; CHECK: sext i32 %index to i64
define spir_kernel void @without(ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop

loop:
  %t = phi i32 [ 0, %entry ], [ %next, %loop ]
  %index = mul nsw i32 %t, %n
  %index64 = sext i32 %index to i64
  %p = getelementptr float, ptr addrspace(1) %out, i64 %index64
  store float 0.0, ptr addrspace(1) %p, align 4
  %next = add nuw nsw i32 %t, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

; The id is taken out of an index that is but a term of an address of 64 bits. An index of its own is bounded by memory,
; what may overflow has no parts, and rows of other dimensions are the same for all lanes.
; CHECK-LABEL: define spir_kernel void @terms(
; CHECK: %[[LINE:.*]] = sext i32 %line to i64
; CHECK: %[[ID:.*]] = sext i32 %i to i64
; CHECK: %[[AT:.*]] = add nsw i64 %[[LINE]], %[[ID]]
; CHECK: add i64 %[[AT]], %up
; CHECK: sext i32 %own to i64
; CHECK: sext i32 %any to i64
; CHECK: sext i32 %line to i64
define spir_kernel void @terms(ptr addrspace(1) %in, i32 %w, i64 %up) {
  %gid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %gid to i32
  %lid = call i64 @clotho.local_id(i32 1)
  %y = trunc i64 %lid to i32
  %line = mul nsw i32 %y, %w
  %at = add nsw i32 %line, %i
  %at64 = sext i32 %at to i64
  %above = add i64 %at64, %up
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %above
  store float 0.0, ptr addrspace(1) %p
  %own = add nsw i32 %line, %i
  %own64 = sext i32 %own to i64
  %q = getelementptr inbounds float, ptr addrspace(1) %in, i64 %own64
  store float 0.0, ptr addrspace(1) %q
  %any = add i32 %line, %i
  %any64 = sext i32 %any to i64
  %any.above = add i64 %any64, %up
  %r = getelementptr inbounds float, ptr addrspace(1) %in, i64 %any.above
  store float 0.0, ptr addrspace(1) %r
  %line64 = sext i32 %line to i64
  %line.above = add i64 %line64, %up
  %s = getelementptr inbounds float, ptr addrspace(1) %in, i64 %line.above
  store float 0.0, ptr addrspace(1) %s
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
