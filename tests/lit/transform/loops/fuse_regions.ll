; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=fuse-regions %s | %check --check-prefix=FUSE
; RUN: %opt --passes='function(fuse-regions,isolate-barriers),work-group-function' %s | %check --check-prefix=ORDER
; Reading local[lid - 1] before local[lid] is written needs no barrier when the last work-item goes first.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; FUSE-LABEL: @down(
; FUSE: call void @clotho.barrier(){{.*}}, !clotho.descending
; FUSE-NOT: barrier
; FUSE: fence syncscope("singlethread") acq_rel
; FUSE-NEXT: store i32
; FUSE: call void @clotho.barrier()
; FUSE-NOT: barrier
; FUSE-LABEL: }

; ORDER-LABEL: @down.cl(
; ORDER: %last = and i64 %{{.*}}, -1
; ORDER: %[[X:.*]] = phi i64 [ %last, %{{.*}} ], [ %[[NEXT:.*]], %{{.*}} ]
; ORDER: %[[NEXT]] = sub nsw i64 %[[X]], 1
define spir_kernel void @down(ptr addrspace(3) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %own = getelementptr i32, ptr addrspace(3) %a, i64 %lid
  store i32 1, ptr addrspace(3) %own
  call void @clotho.barrier()
  %below = getelementptr i8, ptr addrspace(3) %own, i64 -4
  %v = load i32, ptr addrspace(3) %below
  call void @clotho.barrier()
  store i32 %v, ptr addrspace(3) %own
  call void @clotho.barrier()
  %last = load i32, ptr addrspace(3) %a
  store i32 %last, ptr addrspace(1) %out
  ret void
}

; Only the work-group sees its local memory, so it may be volatile. A bit that no local id has adds to it.
; FUSE-LABEL: @through_volatile(
; FUSE: call void @clotho.barrier(){{.*}}, !clotho.descending
; FUSE-NOT: barrier
; FUSE: fence syncscope("singlethread") acq_rel
; FUSE-NEXT: store volatile i32
; FUSE: call void @clotho.barrier()
; FUSE-NOT: barrier
; FUSE-LABEL: }
define spir_kernel void @through_volatile(ptr addrspace(3) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %at = or disjoint i64 %lid, 256
  %own = getelementptr i32, ptr addrspace(3) %a, i64 %at
  store volatile i32 1, ptr addrspace(3) %own
  call void @clotho.barrier()
  %first = getelementptr i32, ptr addrspace(3) %a, i64 %lid
  %below = getelementptr i8, ptr addrspace(3) %first, i64 1020
  %v = load volatile i32, ptr addrspace(3) %below
  call void @clotho.barrier()
  store volatile i32 %v, ptr addrspace(3) %own
  call void @clotho.barrier()
  %last = load volatile i32, ptr addrspace(3) %a
  store i32 %last, ptr addrspace(1) %out
  ret void
}

; FUSE-LABEL: @up(
; FUSE-COUNT-3: call void @clotho.barrier()
; FUSE-NOT: descending
; FUSE-LABEL: }
define spir_kernel void @up(ptr addrspace(3) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %own = getelementptr i32, ptr addrspace(3) %a, i64 %lid
  store i32 1, ptr addrspace(3) %own
  call void @clotho.barrier()
  %above = getelementptr i8, ptr addrspace(3) %own, i64 4
  %v = load i32, ptr addrspace(3) %above
  call void @clotho.barrier()
  store i32 %v, ptr addrspace(3) %own
  call void @clotho.barrier()
  %last = load i32, ptr addrspace(3) %a
  store i32 %last, ptr addrspace(1) %out
  ret void
}

; What is read is 50 above, where the index has wrapped around.
; FUSE-LABEL: @around(
; FUSE-COUNT-3: call void @clotho.barrier()
; FUSE-NOT: descending
; FUSE-LABEL: }
define spir_kernel void @around(ptr addrspace(3) %a, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %own = getelementptr i32, ptr addrspace(3) %a, i64 %lid
  store i32 1, ptr addrspace(3) %own
  call void @clotho.barrier()
  %low = trunc i64 %lid to i32
  %less = add i32 %low, -100
  %wide = zext i32 %less to i64
  %at = add i64 %wide, -4294967146
  %above = getelementptr i32, ptr addrspace(3) %a, i64 %at
  %v = load i32, ptr addrspace(3) %above
  call void @clotho.barrier()
  store i32 %v, ptr addrspace(3) %own
  call void @clotho.barrier()
  %last = load i32, ptr addrspace(3) %a
  store i32 %last, ptr addrspace(1) %out
  ret void
}

attributes #0 = { nounwind speculatable willreturn memory(none) }
attributes #1 = { convergent nounwind }
