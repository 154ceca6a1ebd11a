; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=spread-counters %s | %check
; Counters in local memory, which a loop adds to, get a copy for each of four lanes.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK: @bins = internal addrspace(3) global [4 x [256 x i32]] undef
@bins = internal addrspace(3) global [256 x i32] undef, align 4
; CHECK: @watched = internal addrspace(3) global [256 x i32] undef
@watched = internal addrspace(3) global [256 x i32] undef, align 4
; CHECK: @given = internal addrspace(3) global [256 x i32] undef
@given = internal addrspace(3) global [256 x i32] undef, align 4
; CHECK: @few = internal addrspace(3) global [256 x i32] undef
@few = internal addrspace(3) global [256 x i32] undef, align 4

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier()

; CHECK-LABEL: @count(
; Cleared before the first barrier: all but the first, which is the program's affair.
; CHECK: elements:
; CHECK: icmp ult i64 %{{.*}}, 256
; CHECK: element:
; CHECK: store i32 0, ptr addrspace(3)
; CHECK-COUNT-2: store i32 0
; CHECK: call void @clotho.barrier()
; CHECK: body:
; CHECK: %[[LANE:.*]] = call i64 @clotho.sub_group_lane()
; CHECK: %[[COPY:.*]] = and i64 %[[LANE]], 3
; CHECK: %[[BIN:.*]] = getelementptr inbounds [1024 x i8], ptr addrspace(3) %p, i64 %[[COPY]]
; CHECK: atomicrmw add ptr addrspace(3) %[[BIN]], i32 1
; Added up between two barriers.
; CHECK: end:
; CHECK: call void @clotho.barrier()
; CHECK: element{{[0-9]+}}:
; CHECK-COUNT-3: add i32
; CHECK: store i32
; CHECK: call void @clotho.barrier()
; CHECK: load i32, ptr addrspace(3) @bins
define spir_kernel void @count(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  call void @clotho.barrier()
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %a = getelementptr i8, ptr addrspace(1) %in, i64 %i
  %byte = load i8, ptr addrspace(1) %a
  %index = zext i8 %byte to i64
  %p = getelementptr [256 x i32], ptr addrspace(3) @bins, i64 0, i64 %index
  %old = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %end
end:
  call void @clotho.barrier()
  %first = load i32, ptr addrspace(3) @bins
  store i32 %first, ptr addrspace(1) %out
  ret void
}

; What is counted is looked at before the work-group has waited.
; CHECK-LABEL: @looks(
; CHECK-NOT: sub_group_lane
; CHECK-LABEL: }
define spir_kernel void @looks(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
entry:
  call void @clotho.barrier()
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %p = getelementptr [256 x i32], ptr addrspace(3) @watched, i64 0, i64 %i
  %old = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  %now = load i32, ptr addrspace(3) @watched
  store i32 %now, ptr addrspace(1) %out
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %end
end:
  call void @clotho.barrier()
  ret void
}

; Who knows what is done with the pointer.
; CHECK-LABEL: @gives(
; CHECK-NOT: sub_group_lane
; CHECK-LABEL: }
declare void @f(ptr addrspace(3))
define spir_kernel void @gives(i64 %n) {
entry:
  call void @f(ptr addrspace(3) @given)
  call void @clotho.barrier()
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %p = getelementptr [256 x i32], ptr addrspace(3) @given, i64 0, i64 %i
  %old = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %end
end:
  call void @clotho.barrier()
  ret void
}

; Too few additions for what clearing and adding up take, and work-items that have returned could not take part in it.
; CHECK-LABEL: @once(
; CHECK-NOT: sub_group_lane
; CHECK-LABEL: }
define spir_kernel void @once(ptr addrspace(1) %out, i64 %n) {
entry:
  call void @clotho.barrier()
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %p = getelementptr [256 x i32], ptr addrspace(3) @few, i64 0, i64 %i
  %old = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %body, label %end
end:
  call void @clotho.barrier()
  %first = load i32, ptr addrspace(3) @few
  store i32 %first, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @returns(
; CHECK-NOT: sub_group_lane
; CHECK-LABEL: }
define spir_kernel void @returns(ptr addrspace(1) %out, i64 %n) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %some = icmp ult i64 %lid, %n
  br i1 %some, label %begin, label %return
begin:
  call void @clotho.barrier()
  br label %body
body:
  %i = phi i64 [ 0, %begin ], [ %next, %body ]
  %p = getelementptr [256 x i32], ptr addrspace(3) @few, i64 0, i64 %i
  %old = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %end
end:
  call void @clotho.barrier()
  %first = load i32, ptr addrspace(3) @few
  store i32 %first, ptr addrspace(1) %out
  br label %return
return:
  ret void
}

attributes #0 = { nounwind speculatable willreturn memory(none) }
