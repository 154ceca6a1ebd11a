; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; One unsigned comparison asks for both ends of a range. Where it selects between a computed value and a constant, all
; lanes are taken to be inside; a comparison for one end is only taken to be alike in all lanes.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @inside(
; CHECK: agree:
; CHECK: icmp uge i64 %{{.*}}, %n
; CHECK: begin:
; CHECK-NOT: select
; CHECK: store <4 x i32>
; CHECK-NOT: select
; CHECK-LABEL: define internal spir_func void @inside.predicated(
; CHECK: select <4 x i1>
define spir_kernel void @inside(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %n, i1 %row) {
  %lid = call i64 @clotho.local_id(i32 0)
  %before = add i64 %lid, -2
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %lid
  %v = load i32, ptr addrspace(1) %p, align 4
  %outside = icmp uge i64 %before, %n
  %either = select i1 %row, i1 true, i1 %outside
  %result = select i1 %outside, i32 0, i32 %v
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %lid
  store i32 %result, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @one_end(
; CHECK: agree:
; CHECK: begin:
; CHECK: select i1 %{{.*}}, <4 x i32>
define spir_kernel void @one_end(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %lid
  %v = load i32, ptr addrspace(1) %p, align 4
  %outside = icmp sge i64 %lid, %n
  %result = select i1 %outside, i32 0, i32 %v
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %lid
  store i32 %result, ptr addrspace(1) %q, align 4
  ret void
}

; If lanes test whether columns are inside, the uniform test of the row is made beside it, in either order; a test of the
; row alone is not.
; CHECK-LABEL: define spir_kernel void @both(
; CHECK: agree:
; CHECK-DAG: icmp uge i64 %{{.*}}, %n
; CHECK-DAG: icmp uge i64 %{{.*}}, %rows
; CHECK: begin:
; CHECK-NOT: select
; CHECK: store <4 x i32>
; CHECK-NOT: select
; CHECK-LABEL: define internal spir_func void @both.predicated(
; CHECK: select <4 x i1>
define spir_kernel void @both(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %n, i64 %rows) {
  %lid = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %column = add i64 %lid, -2
  %row = add i64 %y, -2
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %lid
  %v = load i32, ptr addrspace(1) %p, align 4
  %left = icmp uge i64 %column, %n
  %above = icmp ule i64 %rows, %row
  %outside = select i1 %above, i1 true, i1 %left
  %result = select i1 %outside, i32 0, i32 %v
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %lid
  store i32 %result, ptr addrspace(1) %q, align 4
  ret void
}

; CHECK-LABEL: define spir_kernel void @row_alone(
; CHECK: begin:
; CHECK: select i1
; CHECK: store <4 x i32>
define spir_kernel void @row_alone(ptr addrspace(1) %out, ptr addrspace(1) %in, i64 %rows) {
  %lid = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %row = add i64 %y, -2
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %lid
  %v = load i32, ptr addrspace(1) %p, align 4
  %above = icmp uge i64 %row, %rows
  %result = select i1 %above, i32 0, i32 %v
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %lid
  store i32 %result, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
