; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; With a barrier all sub-groups of a work-group run one function: there is no version for some of them.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-NOT: agree
; CHECK-NOT: @k.fallback
; CHECK-LABEL: define spir_kernel void @k(
; CHECK: masked.store
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK-NOT: agree
; CHECK-NOT: @k.fallback
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  call void @clotho.barrier()
  %less = icmp slt i32 %i, %n
  br i1 %less, label %then, label %end

then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 1, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
