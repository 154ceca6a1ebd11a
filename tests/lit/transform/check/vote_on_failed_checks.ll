; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vote-on-checks %s | %check

declare i64 @clotho.local_id(i32)
declare void @clotho.check.report(i1)
declare i32 @clotho.check.access(i1, ptr addrspace(1))

; All lanes go to the failed access if one has to, and each says for itself whether it failed.
; CHECK-LABEL: define spir_kernel void @access(
; CHECK: %[[ANY:.*]] = call i1 @clotho.sub_group.reduce{{.*}}(i1 %bad, i32 0)
; CHECK: br i1 %[[ANY]], label %failed, label %passed
; CHECK: call i32 @clotho.check.access(i1 %bad,
define spir_kernel void @access(ptr addrspace(1) %a, i64 %n) {
  %l = call i64 @clotho.local_id(i32 0)
  %bad = icmp uge i64 %l, %n
  br i1 %bad, label %failed, label %passed
failed:
  %y = call i32 @clotho.check.access(i1 true, ptr addrspace(1) %a)
  br label %end
passed:
  %x = load i32, ptr addrspace(1) %a
  br label %end
end:
  %z = phi i32 [ %y, %failed ], [ %x, %passed ]
  store i32 %z, ptr addrspace(1) %a
  ret void
}

; Lanes that have not failed would miss the access here, so each goes its own way.
; CHECK-LABEL: define spir_kernel void @report_instead(
; CHECK-NOT: clotho.sub_group
; CHECK: br i1 %bad, label %failed, label %passed
define spir_kernel void @report_instead(ptr addrspace(1) %a, i64 %n) {
  %l = call i64 @clotho.local_id(i32 0)
  %bad = icmp uge i64 %l, %n
  br i1 %bad, label %failed, label %passed
failed:
  call void @clotho.check.report(i1 true)
  br label %end
passed:
  store i32 1, ptr addrspace(1) %a
  br label %end
end:
  ret void
}

; A branch that is uniform anyway stays as it is.
; CHECK-LABEL: define spir_kernel void @uniform(
; CHECK-NOT: clotho.sub_group
; CHECK: br i1 %bad, label %failed, label %end
define spir_kernel void @uniform(i64 %m, i64 %n) {
  %bad = icmp uge i64 %m, %n
  br i1 %bad, label %failed, label %end
failed:
  call void @clotho.check.report(i1 true)
  br label %end
end:
  ret void
}

; Passes copy a division behind its check and simplify it where that has failed. Others take what their own way computes.
; CHECK-LABEL: define spir_kernel void @copied(
; CHECK: %[[ANY:.*]] = call i1 @clotho.sub_group.reduce{{.*}}(i1 %bad, i32 0)
; CHECK: br i1 %[[ANY]], label %failed, label %end
; CHECK: failed:
; CHECK: call void @clotho.check.report(i1 %bad)
; CHECK: %[[CHOSEN:.*]] = select i1 %bad, i32 %n, i32 %quotient
; CHECK: phi i32 [ %[[CHOSEN]], %failed ], [ %quotient, %entry ]
define spir_kernel void @copied(ptr addrspace(1) %a, i32 %n) {
entry:
  %l = call i64 @clotho.local_id(i32 0)
  %d = trunc i64 %l to i32
  %bad = icmp eq i32 %d, 0
  %divisor = select i1 %bad, i32 1, i32 %d
  %quotient = sdiv i32 %n, %divisor
  br i1 %bad, label %failed, label %end
failed:
  call void @clotho.check.report(i1 true)
  br label %end
end:
  %z = phi i32 [ %n, %failed ], [ %quotient, %entry ]
  store i32 %z, ptr addrspace(1) %a
  ret void
}
