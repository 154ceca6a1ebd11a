; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=unroll-kept-rows %s | %check
; Vectors that are handed on from round to round, nine of them, so that the ninth round before can be asked: in four
; rounds at once, each nine are handed on once. Each round may be the last.

; CHECK-LABEL: define void @nine(
; CHECK-COUNT-4: load <8 x i64>
; CHECK-NOT: load
; CHECK: br i1 %more.3, label %x, label %end
define void @nine(ptr %a, ptr %b, i64 %n) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %x ]
  %k0 = phi <8 x i64> [ zeroinitializer, %entry ], [ %v, %x ]
  %k1 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k0, %x ]
  %k2 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k1, %x ]
  %k3 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k2, %x ]
  %k4 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k3, %x ]
  %k5 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k4, %x ]
  %k6 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k5, %x ]
  %k7 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k6, %x ]
  %k8 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k7, %x ]
  %p = getelementptr i64, ptr %a, i64 %id
  %v = load <8 x i64>, ptr %p, align 8
  %sum = add <8 x i64> %v, %k8
  %q = getelementptr i64, ptr %b, i64 %id
  store <8 x i64> %sum, ptr %q, align 8
  %next = add nuw nsw i64 %id, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %x, label %end

end:
  ret void
}

; Few cost less than a longer loop.
; CHECK-LABEL: define void @two(
; CHECK-COUNT-1: load <8 x i64>
; CHECK-NOT: load
; CHECK: ret void
define void @two(ptr %a, ptr %b, i64 %n) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %x ]
  %k0 = phi <8 x i64> [ zeroinitializer, %entry ], [ %v, %x ]
  %k1 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k0, %x ]
  %p = getelementptr i64, ptr %a, i64 %id
  %v = load <8 x i64>, ptr %p, align 8
  %sum = add <8 x i64> %v, %k1
  %q = getelementptr i64, ptr %b, i64 %id
  store <8 x i64> %sum, ptr %q, align 8
  %next = add nuw nsw i64 %id, 8
  %more = icmp ult i64 %next, %n
  br i1 %more, label %x, label %end

end:
  ret void
}

; Four rounds and no more: no loop is left.
; CHECK-LABEL: define void @four(
; CHECK-COUNT-4: load <8 x i64>
; CHECK-NOT: br i1
; CHECK: ret void
define void @four(ptr %a, ptr %b) {
entry:
  br label %x

x:
  %id = phi i64 [ 0, %entry ], [ %next, %x ]
  %k0 = phi <8 x i64> [ zeroinitializer, %entry ], [ %v, %x ]
  %k1 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k0, %x ]
  %k2 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k1, %x ]
  %k3 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k2, %x ]
  %k4 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k3, %x ]
  %k5 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k4, %x ]
  %k6 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k5, %x ]
  %k7 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k6, %x ]
  %k8 = phi <8 x i64> [ zeroinitializer, %entry ], [ %k7, %x ]
  %p = getelementptr i64, ptr %a, i64 %id
  %v = load <8 x i64>, ptr %p, align 8
  %sum = add <8 x i64> %v, %k8
  %q = getelementptr i64, ptr %b, i64 %id
  store <8 x i64> %sum, ptr %q, align 8
  %next = add nuw nsw i64 %id, 8
  %more = icmp ult i64 %next, 32
  br i1 %more, label %x, label %end

end:
  ret void
}
