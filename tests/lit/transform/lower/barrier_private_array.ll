; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes="function(isolate-barriers),work-group-function" %s | %check
; A private array that is read after the barrier lies in the frame; one that is not stays on the stack.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)

; CHECK-LABEL: define internal void @k.cl(
; CHECK-NOT: %kept = alloca
; CHECK: %scratch = alloca [4 x i32]
; CHECK-NOT: %kept = alloca
; CHECK: getelementptr inbounds [8 x i32], ptr %slot, i64
; CHECK: !"frame-bytes-per-item", i64 32
define spir_kernel void @k(ptr addrspace(1) %out) {
  %kept = alloca [8 x i32]
  %scratch = alloca [4 x i32]
  %id = call i64 @clotho.local_id(i32 0)
  %a = getelementptr [8 x i32], ptr %kept, i64 0, i64 %id
  store i32 1, ptr %a
  call void @llvm.lifetime.start.p0(ptr %scratch)
  %s = getelementptr [4 x i32], ptr %scratch, i64 0, i64 %id
  store i32 2, ptr %s
  %x = load i32, ptr %scratch
  store i32 %x, ptr addrspace(1) %out
  call void @llvm.lifetime.end.p0(ptr %scratch)
  call void @clotho.barrier()
  %y = load i32, ptr %kept
  store i32 %y, ptr addrspace(1) %out
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
