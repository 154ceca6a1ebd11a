; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=hold-apart %s | %check
; RUN: %opt "--passes=function(hold-apart,gvn,dse,isolate-barriers),work-group-function" %s | %check --check-prefix=GROUP
; Behind a barrier is what other work-items have stored, which `noalias` denies: it waits until there are no barriers.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1
declare void @clotho.sub_group.barrier.none.i1(i1) #1

; CHECK-LABEL: define spir_kernel void @exchange(ptr addrspace(1) noalias %in, ptr addrspace(1) "clotho-apart" %out)
; GROUP: define internal void @exchange.cl({{.*}}ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out)
; GROUP: store i32 %{{.*}}, ptr addrspace(1) %{{.*}}
; GROUP: store i32 5, ptr addrspace(1) %{{.*}}
define spir_kernel void @exchange(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %l = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %l
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %l
  %x = load i32, ptr addrspace(1) %p
  store i32 %x, ptr addrspace(1) %q
  call void @clotho.barrier()
  store i32 5, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define spir_kernel void @alone(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out)
define spir_kernel void @alone(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %x = load i32, ptr addrspace(1) %in
  store i32 %x, ptr addrspace(1) %out
  ret void
}

; Barriers of sub-groups, and those in functions that are not inlined.
; CHECK-LABEL: define spir_kernel void @sub_groups(ptr addrspace(1) "clotho-apart" %out)
define spir_kernel void @sub_groups(ptr addrspace(1) noalias %out) {
  store i32 1, ptr addrspace(1) %out
  call void @clotho.sub_group.barrier.none.i1(i1 false)
  %x = load i32, ptr addrspace(1) %out
  ret void
}

define void @outer() noinline {
  call void @inner()
  ret void
}
define void @inner() noinline {
  fence acq_rel
  ret void
}
; CHECK-LABEL: define spir_kernel void @calls(ptr addrspace(1) "clotho-apart" %out)
define spir_kernel void @calls(ptr addrspace(1) noalias %out) {
  store i32 1, ptr addrspace(1) %out
  call void @outer()
  ret void
}

; LLVM sees what a fence orders.
; CHECK-LABEL: define spir_kernel void @fences(ptr addrspace(1) noalias %out)
define spir_kernel void @fences(ptr addrspace(1) noalias %out) {
  store i32 1, ptr addrspace(1) %out
  fence acq_rel
  ret void
}

; What inlining has left of a function's parameters.
; CHECK-LABEL: define spir_kernel void @inlined(
; CHECK-NOT: noalias.scope
; CHECK: store i32 1, ptr addrspace(1) %out, align 4
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: ret void
define spir_kernel void @inlined(ptr addrspace(1) %out) {
  call void @llvm.experimental.noalias.scope.decl(metadata !0)
  store i32 1, ptr addrspace(1) %out, align 4, !alias.scope !0
  call void @clotho.barrier(), !noalias !0
  ret void
}

!0 = !{!1}
!1 = distinct !{!1, !2}
!2 = distinct !{!2}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
