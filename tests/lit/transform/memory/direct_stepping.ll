; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=direct-kernels %s | %check
; A variable that goes around the loop from a number that is each work-item's own, as compilers make of an index, is
; known for the work-item that fills an element. One that steps by what is each work-item's own is not.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

@tile = internal addrspace(3) global [8 x [8 x i32]] undef

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.global_id(i32) #0
declare void @clotho.barrier() #1

define spir_kernel void @stepping(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %first = trunc i64 %y to i32
  br label %round

round:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %at = phi i32 [ %first, %entry ], [ %at.next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %partial, %latch ]
  %more = icmp slt i32 %t, %n
  br i1 %more, label %fill, label %end

fill:
  %i = sext i32 %at to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [8 x i32]], ptr addrspace(3) @tile, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  br label %sums

sums:
  %k = phi i64 [ 0, %fill ], [ %k.next, %add ]
  %partial = phi i32 [ %sum, %fill ], [ %added, %add ]
  %in = icmp ult i64 %k, 8
  br i1 %in, label %add, label %latch

add:
  %g = getelementptr [8 x [8 x i32]], ptr addrspace(3) @tile, i64 0, i64 %k, i64 %x
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %partial, %v
  %k.next = add nuw nsw i64 %k, 1
  br label %sums

latch:
  call void @clotho.barrier()
  %t.next = add nsw i32 %t, 1
  %at.next = add i32 %at, 16
  br label %round

end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

define spir_kernel void @apart(ptr addrspace(1) %c, ptr addrspace(1) %a, i32 %n) {
entry:
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %col = call i64 @clotho.global_id(i32 0)
  %first = trunc i64 %y to i32
  br label %round

round:
  %t = phi i32 [ 0, %entry ], [ %t.next, %latch ]
  %at = phi i32 [ 0, %entry ], [ %at.next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %partial, %latch ]
  %more = icmp slt i32 %t, %n
  br i1 %more, label %fill, label %end

fill:
  %i = sext i32 %at to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %e = load i32, ptr addrspace(1) %p, align 4
  %f = getelementptr [8 x [8 x i32]], ptr addrspace(3) @tile, i64 0, i64 %y, i64 %x
  store i32 %e, ptr addrspace(3) %f, align 4
  call void @clotho.barrier()
  br label %sums

sums:
  %k = phi i64 [ 0, %fill ], [ %k.next, %add ]
  %partial = phi i32 [ %sum, %fill ], [ %added, %add ]
  %in = icmp ult i64 %k, 8
  br i1 %in, label %add, label %latch

add:
  %g = getelementptr [8 x [8 x i32]], ptr addrspace(3) @tile, i64 0, i64 %k, i64 %x
  %v = load i32, ptr addrspace(3) %g, align 4
  %added = add i32 %partial, %v
  %k.next = add nuw nsw i64 %k, 1
  br label %sums

latch:
  call void @clotho.barrier()
  %t.next = add nsw i32 %t, 1
  %at.next = add i32 %at, %first
  br label %round

end:
  %q = getelementptr i32, ptr addrspace(1) %c, i64 %col
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}

attributes #0 = { nounwind memory(none) speculatable willreturn }
attributes #1 = { convergent nounwind }

; CHECK-LABEL: define spir_kernel void @stepping.direct(
; CHECK-NOT: addrspace(3)
; CHECK: %[[T:.*]] = phi i32 [ 0, %entry ], [ %{{.*}}, %latch ]
; CHECK: add:
; CHECK: %[[K:.*]] = trunc {{.*}}i64 %k to i32
; CHECK: %[[AT:.*]] = add i32 %[[K]], %{{.*}}
; CHECK: sext i32 %[[AT]] to i64
; CHECK-NOT: addrspace(3)
; CHECK-NOT: @apart.direct
