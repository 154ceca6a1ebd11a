; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; An index that differs by lane and can name only a few rows of a private array: all of them are looked at.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NOT: {{scatter|gather}}
; CHECK: icmp eq <4 x i64> %[[INDEX:.*]], zeroinitializer
; CHECK: icmp eq <4 x i64> %[[INDEX]], splat (i64 1)
; CHECK: %[[OTHER:.*]] = xor <4 x i64> %[[INDEX]], splat (i64 1)
; CHECK: icmp eq <4 x i64> %[[OTHER]], splat (i64 1)
; CHECK-NOT: {{scatter|gather}}
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a = alloca [2 x float], align 4
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %in, i64 %lid
  %index = load i64, ptr addrspace(1) %p, align 8
  store float 0.0, ptr %a, align 4
  %second = getelementptr i8, ptr %a, i64 4
  store float 1.0, ptr %second, align 4
  %at = getelementptr float, ptr %a, i64 %index
  store float 2.0, ptr %at, align 4
  %other = xor i64 %index, 1
  %there = getelementptr float, ptr %a, i64 %other
  %x = load float, ptr %there, align 4
  %o = getelementptr float, ptr addrspace(1) %out, i64 %lid
  store float %x, ptr addrspace(1) %o, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
