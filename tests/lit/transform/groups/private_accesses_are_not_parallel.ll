; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=work-group-function %s | %check
; Work-items run one after the other in the same stack memory, so accesses to it, or to what may be it, carry no
; promise of independence; neither do volatile and atomic ones.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK: store i32 1, ptr %{{.*}}, align 4{{$}}
; CHECK: store i32 2, ptr addrspace(4) %generic, align 4{{$}}
; CHECK: store volatile i32 3, ptr addrspace(1) %out, align 4{{$}}
; CHECK: store atomic i32 4, ptr addrspace(1) %out monotonic, align 4{{$}}
; CHECK: store i32 5, ptr addrspace(1) %out, align 4, !llvm.access.group
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(4) %generic) {
  %m = alloca [4 x i32]
  %id = call i64 @clotho.local_id(i32 0)
  %p = getelementptr [4 x i32], ptr %m, i64 0, i64 %id
  store i32 1, ptr %p
  store i32 2, ptr addrspace(4) %generic
  store volatile i32 3, ptr addrspace(1) %out
  store atomic i32 4, ptr addrspace(1) %out monotonic, align 4
  store i32 5, ptr addrspace(1) %out
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
