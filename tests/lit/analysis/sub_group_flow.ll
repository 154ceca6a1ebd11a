; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='sub-group-form,print<sub-group-flow>' %s -o /dev/null 2>&1 | %check
; How lanes take a loop and branches together.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: sub-group-flow of 'loop':
; CHECK-NEXT: %entry:{{$}}
; CHECK-NEXT: %loop: loop that lanes leave apart, to %out{{$}}
; CHECK-NEXT: %body: lanes of %loop; lanes part{{$}}
; CHECK: %out: lanes of %entry; of each lane's iteration %last
; CHECK: %uniform: lanes of %out
; CHECK-NEXT: %end: lanes of %out
define spir_kernel void @loop(ptr addrspace(1) %a, i1 %all) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  br label %body
body:
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %lid
  br i1 %more, label %loop, label %out
out:
  %last = phi i64 [ %next, %body ]
  br i1 %all, label %uniform, label %end
uniform:
  store i64 %last, ptr addrspace(1) %a
  br label %end
end:
  ret void
}

; A switch becomes branches first.
; CHECK-LABEL: sub-group-flow of 'switches':
; CHECK: lanes part
; CHECK: loop that lanes leave together, to
define spir_kernel void @switches(ptr addrspace(1) %a, i64 %n) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  switch i64 %lid, label %loop [ i64 1, label %end
                                 i64 7, label %end ]
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
