; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; In a[i - 1] with an unsigned i, lane 0 of the first sub-group wraps around, and a guard makes it inactive. The address
; is taken from the last lane, so that the others are right. (All other sub-groups run the version without masks.)

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK: %[[FIRST:.*]] = add i32 %{{.*}}, -1
; CHECK: %[[LAST:.*]] = add i32 %[[FIRST]], 3
; CHECK: %[[WIDE:.*]] = zext i32 %[[LAST]] to i64
; CHECK: sub i64 %[[WIDE]], 3
; CHECK-NOT: masked.gather
; CHECK: call <4 x i32> @llvm.masked.load.v4i32
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %some = icmp ne i32 %i, 0
  br i1 %some, label %then, label %end

then:
  %j = add i32 %i, -1
  %z = zext i32 %j to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %z
  %x = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %lid
  store i32 %x, ptr addrspace(1) %q, align 4
  br label %end

end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
