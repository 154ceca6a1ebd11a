; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Atomics in places that differ run for one live lane after the other, in the order of lanes, and each lane gets its own result: written out
; when all lanes are live, else in a loop over those that are.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[OLD0:.*]] = atomicrmw add ptr addrspace(1) %{{.*}}, i32 1 monotonic
; CHECK: insertelement <4 x i32> poison, i32 %[[OLD0]], i32 0
; CHECK-COUNT-3: atomicrmw add
; CHECK: store <4 x i32>
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %counters) {
  %lid = call i64 @clotho.local_id(i32 0)
  %counter = getelementptr i32, ptr addrspace(1) %counters, i64 %lid
  %old = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 %old, ptr addrspace(1) %p, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @divergent(
; CHECK: br i1 %{{.*}}, label %lanes.some, label %lanes.all
; CHECK: lanes.all:
; CHECK-COUNT-4: atomicrmw add
; CHECK-NOT: atomicrmw add
; CHECK: lanes.some:
; CHECK: lane:
; CHECK: %left = phi i32
; CHECK: %[[LANE:.*]] = call i32 @llvm.cttz.i32(i32 %left, i1 true)
; CHECK: %[[OLD:.*]] = atomicrmw add ptr addrspace(1) %{{.*}}, i32 1 monotonic
; CHECK: insertelement <4 x i32> %{{.*}}, i32 %[[OLD]], i32 %[[LANE]]
; CHECK: br i1 %{{.*}}, label %lane, label %lanes.done
; CHECK-LABEL: define internal spir_func void @divergent.predicated(
define spir_kernel void @divergent(ptr addrspace(1) %a, ptr addrspace(1) %counters) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %less = icmp slt i32 %x, 0
  br i1 %less, label %then, label %done
then:
  %counter = getelementptr i32, ptr addrspace(1) %counters, i64 %lid
  %old = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  store i32 %old, ptr addrspace(1) %p, align 4
  br label %done
done:
  ret void
}

; A work-group runs on one thread, so on local memory no lock is needed.
; CHECK-LABEL: define spir_kernel void @local(
; CHECK-NOT: atomicrmw
; CHECK: %[[BEFORE:.*]] = load i32, ptr addrspace(3) %counter
; CHECK: %[[AFTER:.*]] = add i32 %[[BEFORE]]
; CHECK: store i32 %[[AFTER]], ptr addrspace(3) %counter
; CHECK-NOT: atomicrmw
; CHECK-LABEL: define internal spir_func void @local.predicated(
define spir_kernel void @local(ptr addrspace(3) %counter) {
  %old = atomicrmw add ptr addrspace(3) %counter, i32 1 monotonic
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
