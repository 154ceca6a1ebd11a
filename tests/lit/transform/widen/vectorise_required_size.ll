; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A required size whose rows are full sub-groups needs no predicated variant. Rows that are shorter than the width make
; it narrower.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-NOT: @fits.predicated
; CHECK: define internal spir_func void @odd.predicated(
; CHECK-NOT: @fits.predicated
; CHECK: define {{.*}}@short({{.*}} !clotho.facts ![[SHORT:[0-9]+]]
; CHECK-NOT: @fits.predicated
; CHECK: ![[SHORT]] = !{!"width", i32 2}
define spir_kernel void @fits(ptr addrspace(1) %a) !reqd_work_group_size !0 {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

define spir_kernel void @odd(ptr addrspace(1) %a) !reqd_work_group_size !1 {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

define spir_kernel void @short(ptr addrspace(1) %a) !reqd_work_group_size !2 {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

!0 = !{i32 8, i32 1, i32 1}
!1 = !{i32 9, i32 1, i32 1}
!2 = !{i32 2, i32 8, i32 1}

attributes #0 = { nounwind willreturn speculatable memory(none) }
