; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='isolate-barriers,print<barrier-regions>' %s -o /dev/null 2>&1 | %check
; Barriers cut a kernel into regions; the printer shows how values cross them.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: barrier-regions of 'k':
; CHECK-NEXT: region 0: %entry
; CHECK-NEXT: after %entry: region [[NEXT:[0-9]+]]
; CHECK: region [[NEXT]]: {{.*}}; may return{{$}}
; CHECK-NEXT: takes %index, %x, %same
; CHECK-DAG: recomputed: %index
; CHECK-DAG: stored for each work-item: %x
; CHECK-DAG: stored for the group: %same
; CHECK-DAG: private memory that lives across a barrier: %across
; CHECK-DAG: other private memory: %within
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(2) %c, i64 %n) {
entry:
  %across = alloca i32
  %within = alloca i32
  %lid = call i64 @clotho.local_id(i32 0)
  %index = add i64 %lid, %n
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %index
  %x = load i32, ptr addrspace(1) %p
  %same = load i32, ptr addrspace(2) %c
  store i32 %x, ptr %across
  store i32 1, ptr %within
  %w = load i32, ptr %within
  store i32 %w, ptr addrspace(1) %p
  call void @clotho.barrier() #1
  %y = load i32, ptr %across
  %sum = add i32 %x, %y
  %total = add i32 %sum, %same
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %index
  store i32 %total, ptr addrspace(1) %q
  ret void
}

; All work-items choose between barriers alike, so the choice ends a region; a return that they do not share makes each
; remember.
; CHECK-LABEL: barrier-regions of 'choice':
; CHECK: after %entry: region [[ONE:[0-9]+]] region [[TWO:[0-9]+]]
; CHECK: work-items may part
; CHECK: each work-item remembers whether it has returned
define spir_kernel void @choice(ptr addrspace(1) %a, i64 %n, i1 %all) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  br i1 %all, label %one, label %two
one:
  call void @clotho.barrier() #1
  br label %two
two:
  %out = icmp ugt i64 %lid, %n
  br i1 %out, label %end, label %more
more:
  call void @clotho.barrier() #1
  store i64 %lid, ptr addrspace(1) %a
  br label %end
end:
  ret void
}

; A choice for which each work-item would keep five values that it keeps for no barrier ends no region: each sub-group
; takes it.
; CHECK-LABEL: barrier-regions of 'late_choice':
; CHECK: region 0: %entry, %last, %more; may return
; CHECK-NOT: after %entry
; CHECK: stored for each work-item: %v0{{$}}
; CHECK-NOT: stored for each work-item
; CHECK-LABEL: barrier-regions of 'small_choice':
; CHECK: after %entry: region
define spir_kernel void @late_choice(ptr addrspace(1) %a, ptr addrspace(3) %t, i1 %all) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr [5 x float], ptr addrspace(1) %a, i64 %lid
  %v0 = load float, ptr addrspace(1) %p
  %v1 = call float @llvm.sqrt.f32(float %v0)
  %v2 = call float @llvm.sqrt.f32(float %v1)
  %v3 = call float @llvm.sqrt.f32(float %v2)
  %v4 = call float @llvm.sqrt.f32(float %v3)
  %v5 = call float @llvm.sqrt.f32(float %v4)
  br i1 %all, label %last, label %more
last:
  %s1 = fadd float %v1, %v2
  %s2 = fadd float %v3, %v4
  %s3 = fadd float %s1, %s2
  %s4 = fadd float %s3, %v5
  store float %s4, ptr addrspace(1) %p
  ret void
more:
  %q = getelementptr float, ptr addrspace(3) %t, i64 %lid
  store float %v5, ptr addrspace(3) %q
  call void @clotho.barrier() #1
  %y = load float, ptr addrspace(3) %t
  %z = fadd float %y, %v0
  store float %z, ptr addrspace(1) %p
  ret void
}

define spir_kernel void @small_choice(ptr addrspace(1) %a, ptr addrspace(3) %t, i1 %all) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %lid
  %v0 = load float, ptr addrspace(1) %p
  br i1 %all, label %last, label %more
last:
  store float %v0, ptr addrspace(1) %a
  ret void
more:
  %q = getelementptr float, ptr addrspace(3) %t, i64 %lid
  store float %v0, ptr addrspace(3) %q
  call void @clotho.barrier() #1
  %y = load float, ptr addrspace(3) %t
  store float %y, ptr addrspace(1) %p
  ret void
}

declare float @llvm.sqrt.f32(float)

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
