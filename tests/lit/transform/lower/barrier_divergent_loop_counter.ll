; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes="function(isolate-barriers),work-group-function" %s | %check
; Work-items leave the loop in different rounds, so its counter differs after it although not in it: a slot for each.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-NOT: .uniform = alloca
; CHECK: !"frame-bytes-per-item", i64 8
define spir_kernel void @k(ptr addrspace(1) %out) {
entry:
  %id = call i64 @clotho.local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %id
  br i1 %more, label %loop, label %after
after:
  call void @clotho.barrier()
  store i64 %i, ptr addrspace(1) %out
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
