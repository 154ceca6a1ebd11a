; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Work-items that return early are only masked: the sub-group goes on. There is one return.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[C:.*]] = icmp {{.*}} <4 x i32>
; CHECK: call void @llvm.masked.store{{.*}}<4 x i1>
; CHECK: ret void
; CHECK-NOT: ret void
; CHECK: }
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %c = icmp slt i32 %x, 0
  br i1 %c, label %out, label %rest

out:
  ret void

rest:
  %y = add i32 %x, 7
  store i32 %y, ptr addrspace(1) %p, align 4
  ret void
}

; All come to the barrier in time, or none: where some lanes are skipped, the barrier is not run.
; CHECK-LABEL: define spir_kernel void @barrier(
; CHECK: br i1 %{{.*}}, label %rest, label %rest.skip
; CHECK: rest:
; CHECK: call void @clotho.barrier()
; CHECK: call void @llvm.masked.store{{.*}}<4 x i1>
; CHECK-LABEL: define internal spir_func void @barrier.predicated(
define spir_kernel void @barrier(ptr addrspace(1) %a, i32 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %c = icmp sge i32 %i, %n
  br i1 %c, label %out, label %rest

out:
  ret void

rest:
  call void @clotho.barrier()
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
