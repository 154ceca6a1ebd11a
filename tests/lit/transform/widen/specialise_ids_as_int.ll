; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A launch's offset may take global ids past the largest int between two lanes. Where that would matter the sub-group asks
; for it, and its ids are affine in 64 bits, too.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_base(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: agree:
; CHECK: icmp ule i64 %{{.*}}, 2130706431
; CHECK: call void @k.fallback(
; CHECK-NOT: masked
; CHECK: store <4 x i64>
; CHECK-NOT: masked
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK: sext <4 x i32> %{{.*}} to <4 x i64>
; CHECK: icmp slt <4 x i64>
define spir_kernel void @k(ptr addrspace(1) %a, i64 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %base = call i64 @clotho.group_base(i32 0)
  %id = add i64 %base, %lid
  %i = trunc i64 %id to i32
  %wide = sext i32 %i to i64
  %less = icmp slt i64 %wide, %n
  br i1 %less, label %then, label %end

then:
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %lid
  store i64 %wide, ptr addrspace(1) %p, align 8
  br label %end

end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
