; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=work-group-function %s | %check
; Without a barrier the kernel becomes one nest of loops, x innermost, each tested at its bottom. How long the rows are
; is told by the caller, which may run several work-groups as one.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_base(i32) #0

; CHECK: define internal void @k.cl(ptr noalias readonly align 8 %launch, ptr noalias readonly align 8 %context, ptr noalias align 128 %frame, i64 %group.x, i64 %group.y, i64 %group.z, i64 %row_end, ptr addrspace(1) %out)
; CHECK: %group_base = add nuw i64
; CHECK: x:
; CHECK-NEXT: %[[X:.*]] = phi i64
; CHECK: %[[ID:.*]] = add i64 %group_base, %[[X]]
; CHECK: store i32 7, ptr addrspace(1) %{{.*}}, !llvm.access.group ![[GROUP:[0-9]+]]
; CHECK: x.next:
; CHECK-NEXT: %[[NEXT:.*]] = add nuw nsw i64 %[[X]], 1
; CHECK-NEXT: %[[MORE:.*]] = icmp ult i64 %[[NEXT]], %row_end
; CHECK-NEXT: br i1 %[[MORE]], label %x, label %y.next, !llvm.loop ![[LOOP:[0-9]+]]
; CHECK: ![[GROUP]] = distinct !{}
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], !{{[0-9]+}}, ![[INDEPENDENT:[0-9]+]], ![[PARALLEL:[0-9]+]], !{{[0-9]+}}}
; CHECK: ![[INDEPENDENT]] = !{!"clotho.independent"}
; CHECK: ![[PARALLEL]] = !{!"llvm.loop.parallel_accesses", ![[GROUP]]}
define spir_kernel void @k(ptr addrspace(1) %out) {
  %base = call i64 @clotho.group_base(i32 0)
  %lid = call i64 @clotho.local_id(i32 0)
  %id = add i64 %base, %lid
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 7, ptr addrspace(1) %p
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
