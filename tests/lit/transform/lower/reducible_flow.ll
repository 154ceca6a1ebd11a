; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=reducible-flow,verify %s | %check

; Both targets of a branch are entries of the loop: LLVM's pass alone loses what comes to the second one from there.
; CHECK-LABEL: @between(
; CHECK: irr.guard:
; CHECK: phi i32 [ %next, %choose{{[a-z_.]*}} ], [ %n, %first ], [ 0, %entry
define void @between(i1 %isFirst, i1 %isAgain) {
entry:
  br i1 %isFirst, label %first, label %second
first:
  %n = phi i32 [ 0, %entry ], [ %next, %choose ]
  br label %second
second:
  %m = phi i32 [ 0, %entry ], [ %n, %first ], [ %next, %choose ]
  %next = add i32 %m, 1
  %isEnd = icmp ugt i32 %next, 5
  br i1 %isEnd, label %end, label %choose
choose:
  br i1 %isAgain, label %first, label %second
end:
  ret void
}
