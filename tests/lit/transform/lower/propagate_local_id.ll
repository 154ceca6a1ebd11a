; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=propagate-local-id %s | %check

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.global_id(i32) #0

; What follows from the id is made of what the branch compares it with; sums are solved.
; CHECK-LABEL: define spir_kernel void @last(
; CHECK: then:
; CHECK: [[ONE_LESS:%.*]] = sub i32 %size, 1
; CHECK: [[ID:%.*]] = zext i32 [[ONE_LESS]] to i64
; CHECK: [[BASE:%.*]] = call i64 @clotho.group_base(i32 0)
; CHECK: [[WHOLE:%.*]] = add i64 [[BASE]], [[ID]]
; CHECK: [[X:%.*]] = trunc i64 [[WHOLE]] to i32
; CHECK: [[NEXT:%.*]] = add i32 [[X]], 1
; CHECK: [[PLACE:%.*]] = zext i32 [[NEXT]] to i64
; CHECK: [[FROM:%.*]] = getelementptr i32, ptr addrspace(1) %p, i64 [[PLACE]]
; CHECK: load i32, ptr addrspace(1) [[FROM]]
; CHECK: [[AGAIN:%.*]] = zext i32 {{.*}} to i64
; CHECK: [[TO:%.*]] = getelementptr i32, ptr addrspace(1) %q, i64 [[AGAIN]]
; CHECK: store i32 {{.*}}, ptr addrspace(1) [[TO]]
define spir_kernel void @last(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %size) {
  %l = call i64 @clotho.local_id(i32 0)
  %l32 = trunc i64 %l to i32
  %next = add i32 %l32, 1
  %g = call i64 @clotho.global_id(i32 0)
  %x = trunc i64 %g to i32
  %beside = add i32 %x, 1
  %place = zext i32 %beside to i64
  %from = getelementptr i32, ptr addrspace(1) %p, i64 %place
  %to = getelementptr i32, ptr addrspace(1) %q, i64 %l
  %is = icmp eq i32 %next, %size
  br i1 %is, label %then, label %end
then:
  %value = load i32, ptr addrspace(1) %from
  store i32 %value, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; Kernels that ask for global ids only do not come to ask for their group, and of 64 bits the lower half tells nothing.
; CHECK-LABEL: define spir_kernel void @global(
; CHECK-NOT: clotho.group_base
; CHECK: load i32, ptr addrspace(1) %whole
; CHECK-NOT: clotho.group_base
; CHECK: [[PLACE:%.*]] = sext i32 %n to i64
; CHECK: [[FROM:%.*]] = getelementptr i32, ptr addrspace(1) %p, i64 [[PLACE]]
; CHECK: load i32, ptr addrspace(1) [[FROM]]
; CHECK-NOT: clotho.group_base
; CHECK: ret void
define spir_kernel void @global(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
  %g = call i64 @clotho.global_id(i32 0)
  %x = trunc i64 %g to i32
  %place = sext i32 %x to i64
  %whole = getelementptr i32, ptr addrspace(1) %p, i64 %g
  %half = getelementptr i32, ptr addrspace(1) %p, i64 %place
  %differs = icmp ne i32 %x, %n
  br i1 %differs, label %end, label %then
then:
  %a = load i32, ptr addrspace(1) %whole
  %b = load i32, ptr addrspace(1) %half
  %sum = add i32 %a, %b
  store i32 %sum, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; Few bits of an id are not all of it; volatile accesses stay as they are; so do those that both ways come to.
; CHECK-LABEL: define spir_kernel void @not(
; CHECK: store i32 1, ptr addrspace(1) %byte
; CHECK: store volatile i32 2, ptr addrspace(1) %byte
; CHECK: store i32 3, ptr addrspace(1) %byte
define spir_kernel void @not(ptr addrspace(1) %p, i8 %n) {
  %l = call i64 @clotho.local_id(i32 0)
  %byte = getelementptr i32, ptr addrspace(1) %p, i64 %l
  %low = trunc i64 %l to i8
  %is = icmp eq i8 %low, %n
  br i1 %is, label %then, label %next
then:
  store i32 1, ptr addrspace(1) %byte
  br label %next
next:
  %first = icmp eq i64 %l, 0
  br i1 %first, label %alone, label %end
alone:
  store volatile i32 2, ptr addrspace(1) %byte
  br label %end
end:
  store i32 3, ptr addrspace(1) %byte
  ret void
}

; Another freeze might give another value than the one that a guard has seen.
; CHECK-LABEL: define spir_kernel void @frozen(
; CHECK: store i32 1, ptr addrspace(1) %at
define spir_kernel void @frozen(ptr addrspace(1) %p, i32 %n, i32 %size) {
  %l = call i64 @clotho.local_id(i32 0)
  %x = trunc i64 %l to i32
  %sum = add nsw i32 %x, %n
  %some = freeze i32 %sum
  %place = zext i32 %some to i64
  %at = getelementptr i32, ptr addrspace(1) %p, i64 %place
  %inside = icmp ult i32 %some, %size
  br i1 %inside, label %then, label %end
then:
  %is = icmp eq i32 %x, 3
  br i1 %is, label %alone, label %end
alone:
  store i32 1, ptr addrspace(1) %at
  br label %end
end:
  ret void
}

attributes #0 = { nounwind willreturn memory(none) }
