; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=mark-sub-groups,vectorise-4 %s | %check
; What a pipe's library takes for all live lanes is one call. Where all lanes are live their ranks are their numbers, so
; that packets are consecutive; in divergent flow ranks are counted. Lanes cannot tell how they are divided, so the kernel
; needs no predicated variant of its own.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i32 @clotho.sub_group.live_count.none.i1(i1) #1
declare i32 @clotho.sub_group.live_rank.none.i1(i1) #1
declare i64 @clotho.pipe.once.take_read(ptr addrspace(1), i32, i32) #2

; CHECK-LABEL: define spir_kernel void @all(
; CHECK: %[[TAKEN:.*]] = call i64 @clotho.pipe.once.take_read(ptr addrspace(1) %pipe, i32 4, i32 4)
; CHECK-NOT: call i64 @clotho.pipe.once.take_read
; CHECK: load <4 x i32>
; CHECK-LABEL: define spir_kernel void @some(
define spir_kernel void @all(ptr addrspace(1) %pipe, ptr addrspace(1) %a) {
  %rank = call i32 @clotho.sub_group.live_rank.none.i1(i1 true) #1
  %count = call i32 @clotho.sub_group.live_count.none.i1(i1 true) #1
  %taken = call i64 @clotho.pipe.once.take_read(ptr addrspace(1) %pipe, i32 %count, i32 4) #2
  %first = getelementptr i32, ptr addrspace(1) %pipe, i64 %taken
  %wide = zext i32 %rank to i64
  %at = getelementptr i32, ptr addrspace(1) %first, i64 %wide
  %x = load i32, ptr addrspace(1) %at, align 4
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 %x, ptr addrspace(1) %p, align 4
  ret void
}

; CHECK: %[[LIVE:.*]] = icmp slt <4 x i32> %{{.*}}, zeroinitializer
; CHECK: some:
; CHECK: zext <4 x i1> %[[LIVE]] to <4 x i32>
; CHECK: %[[COUNT:.*]] = call i4 @llvm.ctpop.i4(
; CHECK: %[[WIDE:.*]] = zext i4 %[[COUNT]] to i32
; CHECK: call i64 @clotho.pipe.once.take_read(ptr addrspace(1) %pipe, i32 %[[WIDE]], i32 4)
; CHECK-NOT: call i64 @clotho.pipe.once.take_read
; CHECK: ret void
define spir_kernel void @some(ptr addrspace(1) %pipe, ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %c = icmp slt i32 %x, 0
  br i1 %c, label %some, label %out

some:
  %rank = call i32 @clotho.sub_group.live_rank.none.i1(i1 true) #1
  %count = call i32 @clotho.sub_group.live_count.none.i1(i1 true) #1
  %taken = call i64 @clotho.pipe.once.take_read(ptr addrspace(1) %pipe, i32 %count, i32 4) #2
  %low = trunc i64 %taken to i32
  %sum = add i32 %low, %rank
  store i32 %sum, ptr addrspace(1) %p, align 4
  br label %out

out:
  ret void
}

attributes #0 = { memory(none) speculatable }
attributes #1 = { convergent memory(none) }
attributes #2 = { convergent nounwind }
