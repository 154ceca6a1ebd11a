; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; The uniform part of an index that is a sum without overflow is extended separately, so that loops over sub-groups
; compute it once.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @rows(
; CHECK: begin:
; CHECK: %[[ROW:.*]] = sext i32 %row to i64
; CHECK: %[[BACK:.*]] = sext i32 %back to i64
; CHECK: %[[SHARED:.*]] = sub nsw i64 %[[ROW]], %[[BACK]]
; CHECK: %[[ID:.*]] = sext i32 %id to i64
; CHECK: %[[BASE:.*]] = getelementptr float, ptr addrspace(1) %in, i64 %[[SHARED]]
; CHECK: getelementptr float, ptr addrspace(1) %[[BASE]], i64 %[[ID]]
define spir_kernel void @rows(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %row, i32 %back) {
  %lid = call i64 @clotho.local_id(i32 0)
  %id = trunc nsw i64 %lid to i32
  %sum = add nsw i32 %row, %id
  %index = sub nsw i32 %sum, %back
  %wide = sext i32 %index to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %wide
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %x, ptr addrspace(1) %q, align 4
  ret void
}

; A sum that may wrap around is one of 32 bits.
; CHECK-LABEL: define spir_kernel void @wraps(
; CHECK: begin:
; CHECK: %[[SUM:.*]] = add i32 %row, %id
; CHECK: sext i32 %[[SUM]] to i64
define spir_kernel void @wraps(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %row) {
  %lid = call i64 @clotho.local_id(i32 0)
  %id = trunc nsw i64 %lid to i32
  %index = add i32 %row, %id
  %wide = sext i32 %index to i64
  %p = getelementptr float, ptr addrspace(1) %in, i64 %wide
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %x, ptr addrspace(1) %q, align 4
  ret void
}

; Lanes that do not go the way of the load may overflow.
; CHECK-LABEL: define spir_kernel void @some(
; CHECK: begin:
; CHECK: %[[SUM:.*]] = add i32 %row, %id
; CHECK: sext i32 %[[SUM]] to i64
define spir_kernel void @some(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %row, ptr addrspace(1) %which) {
  %lid = call i64 @clotho.local_id(i32 0)
  %id = trunc nsw i64 %lid to i32
  %w = getelementptr i32, ptr addrspace(1) %which, i64 %lid
  %v = load i32, ptr addrspace(1) %w, align 4
  %index = add nsw i32 %row, %id
  %wide = sext i32 %index to i64
  %takes = icmp eq i32 %v, 0
  br i1 %takes, label %yes, label %end

yes:
  %p = getelementptr float, ptr addrspace(1) %in, i64 %wide
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %x, ptr addrspace(1) %q, align 4
  br label %end

end:
  ret void
}

attributes #0 = { nounwind speculatable willreturn memory(none) }
