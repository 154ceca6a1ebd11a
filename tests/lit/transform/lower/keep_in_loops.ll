; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=keep-in-loops %s | %check
; A block that leaves the loop by `break` stays in it if it uses a sub-group operation: it has a way back, which is
; never taken. Others leave as they did.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i32 @clotho.sub_group.reduce.add.i32(i32, i32) #0

; CHECK-LABEL: @k(
; CHECK: found:
; CHECK: %[[LEAVES:.*]] = call i1 @clotho.sub_group.leaves.none.i1(i1 true)
; CHECK-NEXT: br i1 %[[LEAVES]], label %end, label %inc
; CHECK: plain:
; CHECK-NEXT: br label %end
define void @k(i32 %x, ptr %a) {
entry:
  br label %head

head:
  %n = load i32, ptr %a
  %more = icmp slt i32 %n, %x
  br i1 %more, label %body, label %end

body:
  %which = icmp eq i32 %n, 3
  br i1 %which, label %found, label %other

found:
  %r = call i32 @clotho.sub_group.reduce.add.i32(i32 %x, i32 0) #0
  store i32 %r, ptr %a
  br label %end

other:
  %again = icmp eq i32 %n, 4
  br i1 %again, label %plain, label %inc

plain:
  br label %end

inc:
  %next = add i32 %n, 1
  store i32 %next, ptr %a
  br label %head

end:
  ret void
}

; LLVM may find that a condition always holds, and the block behind which it is tested leaves with the `break`.
; CHECK-LABEL: @always(
; CHECK: found:
; CHECK: br i1 %odd, label %leave, label %inc
; CHECK: leave:
; CHECK: %[[LEAVES:.*]] = call i1 @clotho.sub_group.leaves.none.i1(i1 true)
; CHECK-NEXT: br i1 %[[LEAVES]], label %end, label %inc
define void @always(i32 %x, ptr %a) {
entry:
  br label %head

head:
  %n = load i32, ptr %a
  %more = icmp slt i32 %n, %x
  br i1 %more, label %body, label %end

body:
  %which = icmp eq i32 %n, 3
  br i1 %which, label %found, label %inc

found:
  %r = call i32 @clotho.sub_group.reduce.add.i32(i32 %x, i32 0) #0
  store i32 %r, ptr %a
  %one = or i32 %n, 1
  %odd = icmp ne i32 %one, 0
  br i1 %odd, label %leave, label %inc

leave:
  br label %end

inc:
  %next = add i32 %n, 1
  store i32 %next, ptr %a
  br label %head

end:
  ret void
}

; A block through which each iteration goes needs no way back: if the loop always left behind it, there would be one
; iteration.
; CHECK-LABEL: @each(
; CHECK-NOT: leaves
; CHECK: ret void
define void @each(i32 %x, ptr %a) {
entry:
  br label %head

head:
  %n = load i32, ptr %a
  %more = icmp slt i32 %n, %x
  br i1 %more, label %body, label %end

body:
  %r = call i32 @clotho.sub_group.reduce.add.i32(i32 %x, i32 0) #0
  store i32 %r, ptr %a
  %which = icmp eq i32 %r, 3
  br i1 %which, label %leave, label %inc

leave:
  br label %end

inc:
  %next = add i32 %n, 1
  store i32 %next, ptr %a
  br label %head

end:
  ret void
}

; After the loop is after the loop.
; CHECK-LABEL: @after(
; CHECK-NOT: leaves
; CHECK: ret void
define void @after(i32 %x, ptr %a) {
entry:
  br label %head

head:
  %n = load i32, ptr %a
  %more = icmp slt i32 %n, %x
  br i1 %more, label %inc, label %end

inc:
  %next = add i32 %n, 1
  store i32 %next, ptr %a
  br label %head

end:
  %r = call i32 @clotho.sub_group.reduce.add.i32(i32 %x, i32 0) #0
  store i32 %r, ptr %a
  ret void
}

; Checks run it before builtins are linked.
declare i32 @_Z20sub_group_reduce_addi(i32) #0
; CHECK-LABEL: @builtin(
; CHECK: call i1 @clotho.sub_group.leaves.none.i1(i1 true)
define void @builtin(i32 %x, ptr %a) {
entry:
  br label %head

head:
  %n = load i32, ptr %a
  %which = icmp eq i32 %n, 3
  br i1 %which, label %found, label %inc

found:
  %r = call i32 @_Z20sub_group_reduce_addi(i32 %x) #0
  store i32 %r, ptr %a
  br label %end

inc:
  %next = add i32 %n, 1
  store i32 %next, ptr %a
  br label %head

end:
  ret void
}

; What has been inlined since is in another order.
; CHECK-LABEL: @done(
; CHECK-NOT: leaves
; CHECK: ret void
define void @done(i32 %x, ptr %a) "clotho-kept-in-loops" {
entry:
  br label %head

head:
  %n = load i32, ptr %a
  %which = icmp eq i32 %n, 3
  br i1 %which, label %found, label %inc

found:
  %r = call i32 @clotho.sub_group.reduce.add.i32(i32 %x, i32 0) #0
  store i32 %r, ptr %a
  br label %end

inc:
  %next = add i32 %n, 1
  store i32 %next, ptr %a
  br label %head

end:
  ret void
}

attributes #0 = { convergent memory(none) }
