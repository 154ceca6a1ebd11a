; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=privatise-counters %s | %check
; RUN: %opt --passes=privatise-counters,sub-groups-of-one,work-group-function %s | %check --check-prefix=RANGE
; A kernel that only adds to a buffer adds to the thread's own memory, in a copy that the lane chooses. The function that
; runs a range clears the copies before, and adds them up behind.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @count(
; CHECK-SAME: !clotho.facts ![[FACTS:[0-9]+]]
; CHECK: %[[OWN:.*]] = addrspacecast ptr addrspace(1) %counts to ptr addrspace(3)
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i32, ptr addrspace(3) %[[OWN]], i64 %x
; CHECK: %[[LANE:.*]] = call i64 @clotho.sub_group_lane()
; CHECK: %[[COPY:.*]] = and i64 %[[LANE]], 3
; CHECK: %[[COUNTER:.*]] = getelementptr inbounds [4288 x i8], ptr addrspace(3) %[[PLACE]], i64 %[[COPY]]
; CHECK: atomicrmw add ptr addrspace(3) %[[COUNTER]], i32 1 monotonic, align 4
; CHECK-NOT: atomicrmw
; RANGE-LABEL: define dso_local void @clotho_wg_count(
; RANGE: %counters = alloca [17152 x i8], align 64
; RANGE: getelementptr inbounds i8, ptr %launch, i64 232
; RANGE-NEXT: %[[BYTES:.*]] = load i64
; RANGE-NEXT: %[[NONE:.*]] = icmp eq i64 %[[BYTES]], 0
; RANGE: %counts_together = or i1 false, %[[NONE]]
; RANGE: call void @llvm.memset
; RANGE: %[[SUM:.*]] = add i32
; RANGE: atomicrmw add ptr addrspace(1) %{{.*}}, i32 %{{.*}} seq_cst, align 4
; RANGE: ret void
define spir_kernel void @count(ptr addrspace(1) %in, ptr addrspace(1) %counts) {
  %l = call i64 @clotho.local_id(i32 0)
  %p = getelementptr inbounds i64, ptr addrspace(1) %in, i64 %l
  %x = load i64, ptr addrspace(1) %p
  %q = getelementptr inbounds i32, ptr addrspace(1) %counts, i64 %x
  %old = atomicrmw volatile add ptr addrspace(1) %q, i32 1 seq_cst, align 4
  ret void
}

; What all lanes add to needs no copies.
; CHECK-LABEL: define spir_kernel void @sum(
; CHECK-NOT: sub_group_lane
; CHECK: atomicrmw add ptr addrspace(3)
define spir_kernel void @sum(ptr addrspace(1) %in, ptr addrspace(1) %total) {
  %l = call i64 @clotho.local_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %l
  %x = load i32, ptr addrspace(1) %p
  %old = atomicrmw add ptr addrspace(1) %total, i32 %x monotonic, align 4
  ret void
}

; What was there is asked for.
; CHECK-LABEL: define spir_kernel void @ticket(
; CHECK-NOT: clotho.facts
; CHECK: atomicrmw add ptr addrspace(1)
define spir_kernel void @ticket(ptr addrspace(1) %out, ptr addrspace(1) %total) {
  %old = atomicrmw add ptr addrspace(1) %total, i32 1 monotonic, align 4
  %wide = zext i32 %old to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %wide
  store i32 1, ptr addrspace(1) %p
  ret void
}

; Others can find out by the flag how far it is.
; CHECK-LABEL: define spir_kernel void @signals(
; CHECK-NOT: clotho.facts
; CHECK: atomicrmw add ptr addrspace(1)
define spir_kernel void @signals(ptr addrspace(1) %flag, ptr addrspace(1) %total) {
  %old = atomicrmw add ptr addrspace(1) %total, i32 1 monotonic, align 4
  store atomic i32 1, ptr addrspace(1) %flag release, align 4
  ret void
}

; CHECK-DAG: ![[FACTS]] = !{!"counters", i32 1, !"counter-bits", i32 32}

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(none) }
