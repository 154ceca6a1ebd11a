; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Rows share what they load where their addresses are sums of 64 bits, as compilers make of those of 32 that the kernel
; promises not to wrap around. Where it promises nothing, they do not.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define internal spir_func void @sum.rows(
; CHECK-COUNT-6: load <4 x i32>
; CHECK-NOT: load <4 x i32>
; CHECK-COUNT-4: store <4 x i32>
; CHECK-LABEL: }
define spir_kernel void @sum(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %w) {
  %x64 = call i64 @clotho.local_id(i32 0)
  %x = trunc i64 %x64 to i32
  %y64 = call i64 @clotho.local_id(i32 1)
  %y = trunc i64 %y64 to i32
  %line = mul nsw i32 %y, %w
  %at = add nsw i32 %line, %x
  %i0 = sext i32 %at to i64
  %w64 = sext i32 %w to i64
  %i1 = add i64 %i0, %w64
  %i2 = add i64 %i1, %w64
  %p0 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i0
  %v0 = load i32, ptr addrspace(1) %p0, align 4
  %p1 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i1
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %p2 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i2
  %v2 = load i32, ptr addrspace(1) %p2, align 4
  %s = add i32 %v0, %v1
  %t = add i32 %s, %v2
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %i0
  store i32 %t, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-NOT: @wrapping.rows
define spir_kernel void @wrapping(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %w) {
  %x64 = call i64 @clotho.local_id(i32 0)
  %x = trunc i64 %x64 to i32
  %y64 = call i64 @clotho.local_id(i32 1)
  %y = trunc i64 %y64 to i32
  %line = mul i32 %y, %w
  %at = add nsw i32 %line, %x
  %i0 = sext i32 %at to i64
  %w64 = sext i32 %w to i64
  %i1 = add i64 %i0, %w64
  %i2 = add i64 %i1, %w64
  %p0 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i0
  %v0 = load i32, ptr addrspace(1) %p0, align 4
  %p1 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i1
  %v1 = load i32, ptr addrspace(1) %p1, align 4
  %p2 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i2
  %v2 = load i32, ptr addrspace(1) %p2, align 4
  %s = add i32 %v0, %v1
  %t = add i32 %s, %v2
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %i0
  store i32 %t, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind memory(none) speculatable willreturn }
