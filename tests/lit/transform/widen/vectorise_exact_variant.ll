; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; RUN: %opt --passes=vectorise-4,work-group-function %s | %check --check-prefix=RANGE
; Indices wrap around between lanes, and lanes on both sides of the wrap are active.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_base(i32) #0

; No memory of up to 4 GiB less a margin has lanes on both sides. What is larger is for the exact variant.
; CHECK-LABEL: define spir_kernel void @bytes.exact(
; CHECK-NOT: x i8>
; CHECK-LABEL: define spir_kernel void @bytes(
; CHECK-SAME: !clotho.facts ![[BYTES:[0-9]+]]
; CHECK-NOT: masked.gather
; CHECK: load <4 x i8>
; CHECK-LABEL: define internal spir_func void @bytes.predicated(
; CHECK-NOT: masked.gather
; CHECK: ret void
; RANGE-LABEL: define dso_local void @clotho_wg_bytes(
; RANGE: getelementptr inbounds i8, ptr %launch, i64 224
; RANGE-NEXT: %[[MEMORY:.*]] = load i64
; RANGE: %large = icmp ugt i64 %[[MEMORY]], 4227858432
; RANGE: br i1 %large, label %[[EXACT:.*]], label
; RANGE: [[EXACT]]:
; RANGE-NEXT: call void @bytes.exact.cl(
define spir_kernel void @bytes(ptr addrspace(1) %a, i32 %off) {
  %lid = call i64 @clotho.local_id(i32 0)
  %base = call i64 @clotho.group_base(i32 0)
  %id = add i64 %base, %lid
  %i = trunc i64 %id to i32
  %j = add i32 %i, %off
  %z = zext i32 %j to i64
  %p = getelementptr inbounds i8, ptr addrspace(1) %a, i64 %z
  %x = load i8, ptr addrspace(1) %p
  %y = add i8 %x, 1
  store i8 %y, ptr addrspace(1) %p
  ret void
}

; The limit is twice as large for shorts, and half of that for int indices.
; CHECK-LABEL: define spir_kernel void @shorts(
; CHECK-SAME: !clotho.facts ![[SHORTS:[0-9]+]]
define spir_kernel void @shorts(ptr addrspace(1) %a, i32 %off) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %j = add i32 %i, %off
  %s = sext i32 %j to i64
  %p = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %s
  store i16 1, ptr addrspace(1) %p
  ret void
}

; Far from where memory begins, any of them may be in it.
; CHECK-LABEL: define spir_kernel void @far(
; CHECK-LABEL: define internal spir_func void @far.predicated(
; CHECK: icmp ule i32 %{{.*}}, -4
; CHECK: masked.scatter
define spir_kernel void @far(ptr addrspace(1) %a, i32 %off) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %j = add i32 %i, %off
  %z = zext i32 %j to i64
  %k = add i64 %z, -4294967200
  %p = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %k
  store i16 1, ptr addrspace(1) %p
  ret void
}

; Each lane but the first wraps around.
; CHECK-LABEL: define spir_kernel void @wide(
; CHECK-LABEL: define internal spir_func void @wide.predicated(
; CHECK: masked.scatter
define spir_kernel void @wide(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %j = mul i32 %i, 536870913
  %z = zext i32 %j to i64
  %p = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %z
  store i16 1, ptr addrspace(1) %p
  ret void
}

; Local memory is never so large.
; CHECK-LABEL: define spir_kernel void @local(
; CHECK: masked.store
; CHECK-NOT: define {{.*}}@local.exact(
define spir_kernel void @local(ptr addrspace(3) %a, i32 %off) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %j = add i32 %i, %off
  %z = zext i32 %j to i64
  %p = getelementptr inbounds i8, ptr addrspace(3) %a, i64 %z
  store i8 1, ptr addrspace(3) %p
  ret void
}

; The sum must not overflow where it is used, but lane 0 need not use it.
; CHECK-LABEL: define spir_kernel void @promised(
; CHECK: sext <4 x i32>
define spir_kernel void @promised(ptr addrspace(1) %a, i32 %off, i32 %least) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %j = sub nsw i32 %i, %least
  %k = add nsw i32 %j, %off
  %s = sext i32 %k to i64
  %some = icmp sge i32 %j, 0
  %t = select i1 %some, i64 %s, i64 0
  %p = getelementptr inbounds i64, ptr addrspace(1) %a, i64 %lid
  store i64 %t, ptr addrspace(1) %p
  ret void
}

; The last lane may not be there, and wrap around.
; CHECK-LABEL: define internal spir_func void @absent.predicated(
; CHECK: %[[FIRST:.*]] = add i32 %{{.*}}, -3
; CHECK-NOT: add i32
; CHECK: zext i32 %[[FIRST]] to i64
; CHECK: ret void
define spir_kernel void @absent(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %j = add nuw i32 %i, -3
  %z = zext i32 %j to i64
  %p = getelementptr inbounds i64, ptr addrspace(1) %a, i64 %z
  store i64 %z, ptr addrspace(1) %p
  ret void
}

; CHECK-DAG: ![[BYTES]] = {{.*}}!"largest-memory", i64 4227858432
; CHECK-DAG: ![[SHORTS]] = {{.*}}!"largest-memory", i64 4160749568
attributes #0 = { nounwind willreturn speculatable memory(none) }
