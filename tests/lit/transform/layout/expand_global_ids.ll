; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=expand-global-ids %s | %check
; A global id becomes the group's base and the local id. Before, kernels that only ask for global ids along dimension 0 are
; marked: for them it makes no difference where along it the work-groups are cut. How long the rows of such groups should
; be depends on whether there is a loop.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.global_id(i32) #0
declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_id(i32) #0
declare i64 @clotho.group_base(i32) #0
declare i64 @clotho.local_size(i32) #0
declare i64 @clotho.num_groups(i32) #0
declare void @clotho.barrier() #1

; CHECK-NOT: call {{.*}}@clotho.global_id(
; CHECK: define spir_kernel void @ids({{.*}}) !clotho.facts ![[MERGED:[0-9]+]] {
; CHECK-NEXT: %[[BASE:.*]] = call i64 @clotho.group_base(i32 0)
; CHECK-NEXT: %[[ID:.*]] = call range(i64 0, 2147483648) i64 @clotho.local_id(i32 0)
; CHECK-NEXT: %global_id = add nuw i64 %[[BASE]], %[[ID]]
; CHECK-NEXT: getelementptr i32, ptr addrspace(1) %a, i64 %global_id
define spir_kernel void @ids(ptr addrspace(1) %a) {
  %id = call i64 @clotho.global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

; Other dimensions, sizes and numbers of groups stay what they are.
; CHECK: define spir_kernel void @sizes({{.*}}) !clotho.facts ![[MERGED]] {
define spir_kernel void @sizes(ptr addrspace(1) %a) {
  %x = call i64 @clotho.global_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %z = call i64 @clotho.group_id(i32 2)
  %n = call i64 @clotho.local_size(i32 0)
  %m = call i64 @clotho.num_groups(i32 0)
  ret void
}

; CHECK: define spir_kernel void @loop({{.*}}) !clotho.facts ![[LOOP:[0-9]+]] {
define spir_kernel void @loop(ptr addrspace(1) %a, i64 %n) {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, %id
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

; CHECK: define spir_kernel void @local_id({{.*}}) {
define spir_kernel void @local_id(ptr addrspace(1) %a) {
  %id = call i64 @clotho.local_id(i32 0)
  ret void
}

; CHECK: define spir_kernel void @group_id({{.*}}) {
define spir_kernel void @group_id(ptr addrspace(1) %a) {
  %id = call i64 @clotho.group_id(i32 0)
  ret void
}

; CHECK: define spir_kernel void @barrier({{.*}}) {
define spir_kernel void @barrier(ptr addrspace(1) %a) {
  call void @clotho.barrier()
  ret void
}

; CHECK: define spir_kernel void @local_argument({{.*}}) {
define spir_kernel void @local_argument(ptr addrspace(1) %a, ptr addrspace(3) %l) {
  %id = call i64 @clotho.global_id(i32 0)
  store i64 %id, ptr addrspace(3) %l, align 8
  ret void
}

; Nor does it make one along dimension 1, of kernels that have rows.
; CHECK: define spir_kernel void @rows({{.*}}) !clotho.facts ![[STACKABLE:[0-9]+]] {
define spir_kernel void @rows(ptr addrspace(1) %a) {
  %x = call i64 @clotho.global_id(i32 0)
  %y = call i64 @clotho.global_id(i32 1)
  ret void
}

; CHECK: define spir_kernel void @rows_of_a_size({{.*}}) !clotho.facts ![[MERGED]] {
define spir_kernel void @rows_of_a_size(ptr addrspace(1) %a) {
  %x = call i64 @clotho.global_id(i32 0)
  %y = call i64 @clotho.global_id(i32 1)
  %h = call i64 @clotho.local_size(i32 1)
  ret void
}

; CHECK: define spir_kernel void @rows_of_a_group({{.*}}) !clotho.facts ![[MERGED]] {
define spir_kernel void @rows_of_a_group(ptr addrspace(1) %a) {
  %x = call i64 @clotho.global_id(i32 0)
  %y = call i64 @clotho.global_id(i32 1)
  %group = call i64 @clotho.group_id(i32 1)
  ret void
}

; CHECK: define spir_kernel void @rows_required({{.*}} !clotho.facts ![[MERGED]]
define spir_kernel void @rows_required(ptr addrspace(1) %a) !reqd_work_group_size !0 {
  %x = call i64 @clotho.global_id(i32 0)
  %y = call i64 @clotho.global_id(i32 1)
  ret void
}

; CHECK-NOT: call {{.*}}@clotho.global_id(
; CHECK-DAG: ![[STACKABLE]] = !{!"merged-row", i32 16384, !"stackable", i1 true}
; CHECK-DAG: ![[MERGED]] = !{!"merged-row", i32 16384}
; CHECK-DAG: ![[LOOP]] = !{!"merged-row", i32 256}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }

!0 = !{i32 16, i32 4, i32 1}
