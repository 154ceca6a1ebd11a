; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A clamped index equals the index if no lane is past the edge: the sub-group tests its first and last lane, and then
; loads consecutively. Others run the predicated variant, which still tests for consecutive addresses at run time.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: agree:
; CHECK: %[[LANES:.*]] = phi i64
; CHECK: %[[END:.*]] = add i64 %[[ID:.*]], %[[LANES]]
; CHECK: %[[ROW:.*]] = call i64 @clotho.row_end()
; CHECK: icmp ule i64 %[[END]], %[[ROW]]
; CHECK: %[[INT:.*]] = trunc i64 %[[ID]] to i32
; CHECK: %[[FIRST:.*]] = add i32 %[[INT]], -5
; CHECK: %[[MANY:.*]] = trunc i64 %[[LANES]] to i32
; CHECK: %[[SPAN:.*]] = sub i32 %[[MANY]], 1
; CHECK: %[[LAST:.*]] = add i32 %[[FIRST]], %[[SPAN]]
; CHECK: icmp sle i32 %[[FIRST]], %[[LAST]]
; CHECK: icmp sge i32 %[[FIRST]], 0
; CHECK: icmp sge i32 %[[LAST]], 0
; CHECK: br i1
; CHECK: call void @k.fallback(
; CHECK-NOT: smax
; CHECK-NOT: gather
; CHECK: load <4 x i32>, ptr addrspace(1) %{{.*}}, align 4
; CHECK-NOT: smax
; CHECK-NOT: gather
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK: call <4 x i32> @llvm.smax.v4i32(
; CHECK: masked.gather
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %lid = call i64 @clotho.local_id(i32 0)
  %i = trunc i64 %lid to i32
  %back = add i32 %i, -5
  %at = call i32 @llvm.smax.i32(i32 %back, i32 0)
  %wide = zext i32 %at to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %wide
  %x = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %lid
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
