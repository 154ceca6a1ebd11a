; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; The loop runs until no lane is left in it. Lanes that have left keep the value of their own last round.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: loop:
; CHECK-DAG: %[[LIVE:live.*]] = phi <4 x i1> [ splat (i1 true), %{{.*}} ], [ %[[STAY:[0-9]+]], %{{.*}} ]
; CHECK-DAG: %[[KEPT:.*]] = phi <4 x i32> [ poison, %{{.*}} ], [ %[[KEEP:[0-9]+]], %{{.*}} ]
; CHECK: %[[MORE:.*]] = icmp ult <4 x i32>
; CHECK: %[[STAY]] = select <4 x i1> %[[LIVE]], <4 x i1> %[[MORE]], <4 x i1> zeroinitializer
; CHECK: %[[KEEP]] = select <4 x i1> %{{.*}}, <4 x i32> %{{.*}}, <4 x i32> %[[KEPT]]
; CHECK: br i1 %any{{.*}}, label %loop, label %
; CHECK: end:
; CHECK: store <4 x i32> %[[KEEP]]
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %n = load i32, ptr addrspace(1) %p, align 4
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 1, %entry ], [ %sum, %loop ]
  %sum = mul i32 %s, 3
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end

end:
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
