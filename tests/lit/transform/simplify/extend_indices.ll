; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=extend-indices %s | %check

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

@tile = internal addrspace(3) global [64 x float] undef

declare i64 @clotho.local_id(i32) #0

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

; A shared extension is repeated in each block that uses it, and parted where it is a term of an address, as is a masked id.
; CHECK-LABEL: define spir_kernel void @shared(
; CHECK-NOT: sext
; CHECK: br i1
; CHECK: last:
; CHECK-NEXT: %[[ID:.*]] = sext i32 %i to i64
; CHECK-NEXT: %[[SAME:.*]] = sext i32 %i to i64
; CHECK-NEXT: %[[STEP:.*]] = sext i32 %step to i64
; CHECK-NEXT: %[[REST:.*]] = and i64 %[[SAME]], %[[STEP]]
; CHECK-NEXT: %[[AT:.*]] = sub nsw i64 %[[ID]], %[[REST]]
; CHECK-NEXT: add i64 %[[AT]], %up
; CHECK: other:
; CHECK-NEXT: %[[WHOLE:.*]] = sext i32 %at to i64
; CHECK-NEXT: getelementptr inbounds [64 x float], ptr addrspace(3) @tile, i64 0, i64 %[[WHOLE]]
define spir_kernel void @shared(ptr addrspace(1) %out, i32 %step, i64 %up) {
  %gid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %gid to i32
  %rest = and i32 %i, %step
  %at = sub nsw i32 %i, %rest
  %at64 = sext i32 %at to i64
  %is.last = icmp eq i32 %step, 256
  br i1 %is.last, label %last, label %other

last:
  %above = add i64 %at64, %up
  %p = getelementptr inbounds float, ptr addrspace(1) %out, i64 %above
  store float 0.0, ptr addrspace(1) %p
  ret void

other:
  %q = getelementptr inbounds [64 x float], ptr addrspace(3) @tile, i64 0, i64 %at64
  store float 0.0, ptr addrspace(3) %q
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
