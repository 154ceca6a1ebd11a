; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes="function(isolate-barriers),work-group-function" %s | %check
; A work-item that returns early counts as arrived at the barrier, and runs nothing after it.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: define internal void @k.cl(
; CHECK: region0:
; If no work-item arrives at the barrier, the group is done.
; CHECK-NEXT: store i32 -1, ptr %end
; CHECK: item:
; CHECK: store i8 0, ptr %{{.*}}, align 1, !llvm.access.group
; CHECK: store i8 1, ptr %{{.*}}, align 1, !llvm.access.group
; CHECK: %returned = load i8, ptr %{{.*}}, !llvm.access.group
; CHECK-NEXT: %[[LIVE:.*]] = icmp eq i8 %returned, 0
; CHECK-NEXT: br i1 %[[LIVE]], label %item{{.*}}, label %x.next
; CHECK: !"frame-bytes-per-item", i64 1
define spir_kernel void @k(ptr addrspace(1) %out, i64 %n) {
  %id = call i64 @clotho.local_id(i32 0)
  %outside = icmp uge i64 %id, %n
  br i1 %outside, label %end, label %inside
inside:
  call void @clotho.barrier()
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 1, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
