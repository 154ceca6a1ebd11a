; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes="function(isolate-barriers),work-group-function" %s | %check
; All work-items run what is before the barrier before any runs what is after. What was read lives in the frame; what
; is cheap to compute from ids is computed again.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: define internal void @k.cl(
; CHECK: %items = mul nuw nsw i64
; CHECK: region0:
; CHECK: region1:
; The first region keeps the value at the work-item's place,
; CHECK: %value = load i32, ptr addrspace(1)
; CHECK: %[[SLOT:.*]] = getelementptr inbounds i32, ptr %slot, i64 %[[INDEX:.*]]
; CHECK: store i32 %value, ptr %[[SLOT]], align 4, !llvm.access.group
; and the second takes it from there,
; with the address made anew.
; CHECK: getelementptr i32, ptr addrspace(1) %out, i64 %local_id.x
; CHECK: %[[SLOT2:.*]] = getelementptr inbounds i32, ptr %slot, i64 %{{.*}}
; CHECK: load i32, ptr %[[SLOT2]], align 4, !llvm.access.group
; CHECK-NOT: call void @clotho.barrier
; CHECK: !"frame-bytes-per-item", i64 4, {{.*}}!"uses-barrier", i1 true
define spir_kernel void @k(ptr addrspace(1) %out) {
  %id = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id
  %value = load i32, ptr addrspace(1) %p
  call void @clotho.barrier()
  store i32 %value, ptr addrspace(1) %p
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
