; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes="function(isolate-barriers),work-group-function,function(sroa,simplifycfg)" %s | %check
; The loop's counter is the work-group's, kept once and not in the frame, and the loop is left or repeated by one
; decision outside the loops over work-items.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: define internal void @k.cl(
; CHECK: %[[COUNTER:i.uniform[^ ]*]] = phi i32
; CHECK: %[[NEXT:.*]] = add i32 %[[COUNTER]], 1
; CHECK: %[[MORE:.*]] = icmp ult i32 %[[NEXT]], %n
; CHECK: br i1 %[[MORE]]
; CHECK: !"frame-bytes-per-item", i64 0
define spir_kernel void @k(ptr addrspace(3) %t, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %id = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(3) %t, i64 %id
  store i32 %i, ptr addrspace(3) %p
  call void @clotho.barrier()
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
