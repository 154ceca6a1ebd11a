; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='print<work-group-uniformity>' %s -o /dev/null 2>&1 | FileCheck --check-prefix=GROUP %s
; RUN: %opt --passes='print<sub-group-uniformity>' %s -o /dev/null 2>&1 | FileCheck --check-prefix=LANES %s
; Lanes of a sub-group share their row, and what they read from one address; the work-items of a group need not.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.local_size(i32) #0

; GROUP-LABEL: work-group-uniformity of 'k':
; LANES-LABEL: sub-group-uniformity of 'k':
; GROUP: differs: %x = call
; LANES: differs: %x = call
; GROUP: differs: %y = call
; LANES: uniform: %y = call
; GROUP: uniform: %size = call
; LANES: uniform: %size = call
; GROUP: differs: %read = load
; LANES: uniform: %read = load
; GROUP: differs: %constant = load i64, ptr addrspace(1)
; LANES: uniform: %constant = load i64, ptr addrspace(1)
; GROUP: uniform until it leaves a loop: %next = add
; LANES: uniform until it leaves a loop: %next = add
; GROUP: parts: br
; LANES: parts: br
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %size = call i64 @clotho.local_size(i32 0)
  %read = load i64, ptr addrspace(1) %a
  %constant = load i64, ptr addrspace(1) %b, !invariant.load !0
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %x
  br i1 %more, label %loop, label %end
end:
  store i64 %next, ptr addrspace(1) %a
  ret void
}

!0 = !{}
attributes #0 = { nounwind willreturn speculatable memory(none) }
