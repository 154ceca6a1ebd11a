; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A comparison that selects between a varying and a uniform index is assumed to select the varying one. Values that are
; clamped afterwards depend on it, and are tested, too.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: agree:
; CHECK: %[[FIRST:.*]] = icmp ult i64 %{{.*}}, 3
; CHECK: %[[LAST:.*]] = icmp ult i64 %{{.*}}, 3
; CHECK: xor i1 %[[FIRST]], true
; CHECK: xor i1 %[[LAST]], true
; CHECK: icmp ule i64 %{{.*}}, %n
; CHECK: icmp ule i64 %{{.*}}, %n
; CHECK: call void @k.fallback(
; CHECK-NOT: {{gather|select|umin}}
; CHECK: load <4 x i32>
; CHECK-NOT: {{gather|select|umin}}
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %few = icmp ult i64 %lid, 3
  %at = select i1 %few, i64 50, i64 %lid
  %further = add i64 %at, 2
  %near = call i64 @llvm.umin.i64(i64 %further, i64 %n)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %near
  %x = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %lid
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
