; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=hoist-above-barriers %s | %check

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; One value is kept instead of three, and what is made of it follows.
; CHECK-LABEL: define spir_kernel void @choice(
; CHECK: %s = select i1 %c, i32 %x, i32 %y
; CHECK-NEXT: %h = trunc i32 %s to i16
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: store i16 %h
define spir_kernel void @choice(ptr addrspace(3) %a, ptr addrspace(3) %b) {
  %l = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(3) %a, i64 %l
  %q = getelementptr i32, ptr addrspace(3) %b, i64 %l
  %x = load i32, ptr addrspace(3) %p
  %y = load i32, ptr addrspace(3) %q
  %c = icmp ult i32 %x, %y
  call void @clotho.barrier()
  %s = select i1 %c, i32 %x, i32 %y
  %h = trunc i32 %s to i16
  store i16 %h, ptr addrspace(3) %p
  ret void
}

; Not what is as large as what it is made of, what others need behind the barrier as well, or what might trap.
; CHECK-LABEL: define spir_kernel void @not(
; CHECK: call void @clotho.barrier()
; CHECK: %minus = sub i32 0, %x
; CHECK: %sum = add i32 %x, %y
; CHECK: %quotient = udiv i32 %z, %w
define spir_kernel void @not(ptr addrspace(3) %a, ptr addrspace(3) %b) {
  %l = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(3) %a, i64 %l
  %q = getelementptr i32, ptr addrspace(3) %b, i64 %l
  %x = load i32, ptr addrspace(3) %p
  %y = load i32, ptr addrspace(3) %q
  %z = load volatile i32, ptr addrspace(3) %q
  %w = load volatile i32, ptr addrspace(3) %q
  call void @clotho.barrier()
  %minus = sub i32 0, %x
  %sum = add i32 %x, %y
  %quotient = udiv i32 %z, %w
  store i32 %minus, ptr addrspace(3) %p
  call void @clotho.barrier()
  store i32 %sum, ptr addrspace(3) %p
  %v = load i32, ptr addrspace(3) %q
  %all = add i32 %quotient, %v
  %again = add i32 %all, %y
  store i32 %again, ptr addrspace(3) %q
  ret void
}

; The next round computes it anew; what the next round needs of this one is needed behind the barrier.
; CHECK-LABEL: define spir_kernel void @rounds(
; CHECK: %sum = add i32 %x, %v
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: %more = add i32 %y, %u
define spir_kernel void @rounds(ptr addrspace(3) %a, ptr addrspace(3) %b, i32 %n) {
entry:
  %l = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(3) %a, i64 %l
  %q = getelementptr i32, ptr addrspace(3) %b, i64 %l
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %before = phi i32 [ 0, %entry ], [ %u, %loop ]
  %x = load i32, ptr addrspace(3) %p
  %z = load i32, ptr addrspace(3) %q
  %y = add i32 %z, %before
  %v = load volatile i32, ptr addrspace(3) %q
  %u = mul i32 %z, 3
  call void @clotho.barrier()
  %sum = add i32 %x, %v
  %more = add i32 %y, %u
  store i32 %sum, ptr addrspace(3) %p
  store i32 %more, ptr addrspace(3) %q
  %next = add i32 %i, 1
  %ends = icmp eq i32 %next, %n
  br i1 %ends, label %out, label %loop
out:
  ret void
}

; Ids are computed anew behind barriers, and so take no room.
; CHECK-LABEL: define spir_kernel void @ids(
; CHECK: call void @clotho.barrier()
; CHECK: %larger = call i32 @llvm.smax.i32
define spir_kernel void @ids(ptr addrspace(3) %a) {
  %l = call i64 @clotho.local_id(i32 0)
  %m = call i64 @clotho.local_id(i32 1)
  %x = trunc i64 %l to i32
  %y = trunc i64 %m to i32
  %p = getelementptr i32, ptr addrspace(3) %a, i64 %l
  store i32 %y, ptr addrspace(3) %p
  call void @clotho.barrier()
  %larger = call i32 @llvm.smax.i32(i32 %x, i32 %y)
  store i32 %larger, ptr addrspace(3) %p
  ret void
}

declare i32 @llvm.smax.i32(i32, i32)

attributes #0 = { nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
