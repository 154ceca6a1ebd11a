; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=mark-non-temporal-stores %s | %check
; Stores are marked if each work-item makes them once, through a pointer that the kernel does not load from, and no other
; thread can observe their order.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_id(i32) #0
declare void @clotho.barrier() #1
declare void @other(ptr addrspace(1))

; What is read takes from the caches, too: sixteenths of a byte, from those stored to ten sevenths of them.
; CHECK-LABEL: @twice_as_much(
; CHECK-SAME: !clotho.facts ![[READ:[0-9]+]]
define spir_kernel void @twice_as_much(ptr addrspace(1) %out, ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %i = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %next = getelementptr float, ptr addrspace(1) %p, i64 1
  %again = load float, ptr addrspace(1) %next, align 4
  %q = getelementptr float, ptr addrspace(1) %b, i64 %i
  %w = load float, ptr addrspace(1) %q, align 4
  %sum = fadd float %v, %w
  %r = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %sum, ptr addrspace(1) %r, align 4
  ret void
}

; What all read, and tables, stay in the caches.
; CHECK-LABEL: @little(
; CHECK-SAME: !clotho.facts ![[ALIKE:[0-9]+]]
define spir_kernel void @little(ptr addrspace(1) %out, ptr addrspace(1) %in, ptr addrspace(1) %factor,
                                ptr addrspace(1) %table) {
  %i = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %i
  %index = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %table, i32 %index
  %v = load float, ptr addrspace(1) %q, align 4
  %f = load float, ptr addrspace(1) %factor, align 4
  %product = fmul float %v, %f
  %r = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %product, ptr addrspace(1) %r, align 4
  ret void
}

; CHECK-LABEL: @once(
; CHECK-SAME: !clotho.facts ![[ALIKE]]
; CHECK: store float %v, ptr addrspace(1) %p, align 4, !clotho.non_temporal
; CHECK: store float %v, ptr addrspace(3) %local, align 4{{$}}
define spir_kernel void @once(ptr addrspace(1) %out, ptr addrspace(1) %in, ptr addrspace(3) %local) {
  %i = call i64 @clotho.local_id(i32 0)
  %q = getelementptr float, ptr addrspace(1) %in, i64 %i
  %v = load float, ptr addrspace(1) %q, align 4
  call void @clotho.barrier()
  %p = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %v, ptr addrspace(1) %p, align 4
  store float %v, ptr addrspace(3) %local, align 4
  ret void
}

; CHECK-LABEL: @loaded(
; CHECK: store float %v, ptr addrspace(1) %p, align 4{{$}}
define spir_kernel void @loaded(ptr addrspace(1) %out) {
  %i = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %out, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  store float %v, ptr addrspace(1) %p, align 4
  ret void
}

; CHECK-LABEL: @loop(
; CHECK: store float 1.000000e+00, ptr addrspace(1) %out, align 4{{$}}
define spir_kernel void @loop(ptr addrspace(1) %out, i1 %c) {
  br label %body
body:
  store float 1.0, ptr addrspace(1) %out, align 4
  br i1 %c, label %body, label %end
end:
  ret void
}

; A release after it orders no such store.
; CHECK-LABEL: @flag(
; CHECK: store float 1.000000e+00, ptr addrspace(1) %out, align 4{{$}}
define spir_kernel void @flag(ptr addrspace(1) %out, ptr addrspace(1) %flag) {
  store float 1.0, ptr addrspace(1) %out, align 4
  store atomic i32 1, ptr addrspace(1) %flag release, align 4
  ret void
}

; CHECK-LABEL: @unknown(
; CHECK: store float 1.000000e+00, ptr addrspace(1) %out, align 4{{$}}
define spir_kernel void @unknown(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  store float 1.0, ptr addrspace(1) %out, align 4
  call void @other(ptr addrspace(1) %in)
  ret void
}

; A work-item takes one of two paths: four bytes.
; CHECK-LABEL: @ways(
; CHECK-SAME: !clotho.facts ![[FOUR:[0-9]+]]
; CHECK: store float 1.000000e+00, ptr addrspace(1) %p, align 4, !clotho.non_temporal
; CHECK: store float 2.000000e+00, ptr addrspace(1) %p, align 4, !clotho.non_temporal
define spir_kernel void @ways(ptr addrspace(1) %out, i1 %c) {
  %i = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %out, i64 %i
  br i1 %c, label %one, label %two
one:
  store float 1.0, ptr addrspace(1) %p, align 4
  ret void
two:
  store float 2.0, ptr addrspace(1) %p, align 4
  ret void
}

; A number for each work-group is nothing beside that: no output. What is read and written is changed. A fence for one
; thread is for the compiler alone.
; CHECK-LABEL: @sums(
; CHECK-SAME: !clotho.facts ![[SUMS:[0-9]+]]
; CHECK: store float %v, ptr addrspace(1) %p, align 4, !clotho.non_temporal
; CHECK: store float 1.000000e+00, ptr addrspace(1) %sum, align 4, !clotho.non_temporal
define spir_kernel void @sums(ptr addrspace(1) %sums, i64 %n, ptr addrspace(1) %changed, ptr addrspace(3) %tmp,
                              ptr addrspace(1) %out) {
  %i = call i64 @clotho.local_id(i32 0)
  %q = getelementptr float, ptr addrspace(1) %changed, i64 %i
  %v = load float, ptr addrspace(1) %q, align 4
  store float 0.0, ptr addrspace(1) %q, align 4
  fence syncscope("singlethread") acq_rel
  %p = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %v, ptr addrspace(1) %p, align 4
  %g = call i64 @clotho.group_id(i32 0)
  %sum = getelementptr float, ptr addrspace(1) %sums, i64 %g
  store float 1.0, ptr addrspace(1) %sum, align 4
  ret void
}

; CHECK: ![[READ]] = !{!"outputs", i64 1, !"non_temporal_units", i64 91}
; CHECK: ![[ALIKE]] = !{!"outputs", i64 1, !"non_temporal_units", i64 73}
; CHECK: ![[FOUR]] = !{!"outputs", i64 1, !"non_temporal_units", i64 64}
; CHECK: ![[SUMS]] = !{!"outputs", i64 4, !"changed", i64 2, !"non_temporal_units", i64 73}
attributes #0 = { nounwind willreturn memory(none) }
attributes #1 = { nounwind convergent }
