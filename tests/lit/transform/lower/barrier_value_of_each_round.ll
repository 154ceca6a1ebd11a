; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes="function(isolate-barriers),work-group-function,function(sroa)" %s | %check
; A value that the loop makes anew each round and that passes the barrier both ways: loaded and stored each round.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: define internal void @k.cl(
; CHECK: %[[SUM:sum[0-9]+]] = load i32, ptr %{{.*}}, !llvm.access.group
; CHECK: %[[NEXT:.*]] = add i32 %[[SUM]], %{{.*}}
; CHECK: store i32 %[[NEXT]], ptr %{{.*}}, !llvm.access.group
; CHECK: !"frame-bytes-per-item", i64 {{4|8}}
define spir_kernel void @k(ptr addrspace(3) %t, ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i64 @clotho.local_id(i32 0)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  call void @clotho.barrier()
  %p = getelementptr i32, ptr addrspace(3) %t, i64 %id
  %x = load i32, ptr addrspace(3) %p
  %sum.next = add i32 %sum, %x
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %sum.next, ptr addrspace(1) %q
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
