; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=interchange-streaming-loops %s | %check
; A work-group that streams over contiguous memory gets a barrier in each iteration; other work-groups get none.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.local_size(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: @sum(
; CHECK: body:
; CHECK: fadd
; CHECK-NEXT: %next
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: br label %head
define spir_kernel void @sum(ptr addrspace(1) %in, ptr addrspace(3) %out, i32 %rounds) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %size = call i64 @clotho.local_size(i32 0)
  %share = getelementptr float, ptr addrspace(1) %in, i64 %lid
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %total = phi float [ 0.0, %entry ], [ %added, %body ]
  %more = icmp ult i32 %i, %rounds
  br i1 %more, label %body, label %end
body:
  %round = zext i32 %i to i64
  %index = mul i64 %round, %size
  %p = getelementptr float, ptr addrspace(1) %share, i64 %index
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %total, %v
  %next = add i32 %i, 1
  br label %head
end:
  %q = getelementptr float, ptr addrspace(3) %out, i64 %lid
  store float %total, ptr addrspace(3) %q
  call void @clotho.barrier()
  ret void
}

; Two rounds written out are two parts, each of which computes its addresses itself.
; CHECK-LABEL: @by_two(
; CHECK: body:
; CHECK: %v = load
; CHECK: call void @clotho.barrier()
; CHECK-NEXT: %p1 = getelementptr
; CHECK-NEXT: %w = load
; CHECK: call void @clotho.barrier()
; CHECK-NEXT: br label %head
define spir_kernel void @by_two(ptr addrspace(1) %in, ptr addrspace(3) %out, i32 %rounds) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %size = call i64 @clotho.local_size(i32 0)
  %share = getelementptr float, ptr addrspace(1) %in, i64 %lid
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %total = phi float [ 0.0, %entry ], [ %added2, %body ]
  %more = icmp ult i32 %i, %rounds
  br i1 %more, label %body, label %end
body:
  %round = zext i32 %i to i64
  %index = mul i64 %round, %size
  %p = getelementptr float, ptr addrspace(1) %share, i64 %index
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %total, %v
  %i1 = or disjoint i32 %i, 1
  %round1 = zext i32 %i1 to i64
  %index1 = mul i64 %round1, %size
  %p1 = getelementptr float, ptr addrspace(1) %share, i64 %index1
  %w = load float, ptr addrspace(1) %p1
  %added2 = fadd float %added, %w
  %next = add i32 %i, 2
  br label %head
end:
  %q = getelementptr float, ptr addrspace(3) %out, i64 %lid
  store float %total, ptr addrspace(3) %q
  call void @clotho.barrier()
  ret void
}

; Parts come in the order of memory, each followed by what is computed of it. Nothing is moved where something is stored.
; CHECK-LABEL: @backwards(
; CHECK: body:
; CHECK: %v = load
; CHECK: %added = fadd float %a, %v
; CHECK: call void @clotho.barrier()
; CHECK: %w = load
; CHECK: %added1 = fadd float %b, %w
; CHECK: call void @clotho.barrier()
; CHECK-NEXT: br label %head
; CHECK-LABEL: @stores(
; CHECK: body:
; CHECK: %w = load
; CHECK: %v = load
define spir_kernel void @backwards(ptr addrspace(1) %in, ptr addrspace(3) %out, i32 %rounds) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %size = call range(i64 1, 2147483648) i64 @clotho.local_size(i32 0)
  %share = getelementptr float, ptr addrspace(1) %in, i64 %lid
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %a = phi float [ 0.0, %entry ], [ %added, %body ]
  %b = phi float [ 0.0, %entry ], [ %added1, %body ]
  %more = icmp ult i32 %i, %rounds
  br i1 %more, label %body, label %end
body:
  %round = zext i32 %i to i64
  %index = mul nuw nsw i64 %round, %size
  %p = getelementptr inbounds nuw float, ptr addrspace(1) %share, i64 %index
  %i1 = or disjoint i32 %i, 1
  %round1 = zext i32 %i1 to i64
  %index1 = mul nuw nsw i64 %round1, %size
  %p1 = getelementptr inbounds nuw float, ptr addrspace(1) %share, i64 %index1
  %w = load float, ptr addrspace(1) %p1
  %added1 = fadd float %b, %w
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %a, %v
  %next = add i32 %i, 2
  br label %head
end:
  %q = getelementptr float, ptr addrspace(3) %out, i64 %lid
  %both = fadd float %a, %b
  store float %both, ptr addrspace(3) %q
  call void @clotho.barrier()
  ret void
}

define spir_kernel void @stores(ptr addrspace(1) %in, ptr addrspace(1) %seen, ptr addrspace(3) %out, i32 %rounds) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %size = call range(i64 1, 2147483648) i64 @clotho.local_size(i32 0)
  %share = getelementptr float, ptr addrspace(1) %in, i64 %lid
  %own = getelementptr float, ptr addrspace(1) %seen, i64 %lid
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i32 %i, %rounds
  br i1 %more, label %body, label %end
body:
  %round = zext i32 %i to i64
  %index = mul nuw nsw i64 %round, %size
  %p = getelementptr inbounds nuw float, ptr addrspace(1) %share, i64 %index
  %i1 = or disjoint i32 %i, 1
  %round1 = zext i32 %i1 to i64
  %index1 = mul nuw nsw i64 %round1, %size
  %p1 = getelementptr inbounds nuw float, ptr addrspace(1) %share, i64 %index1
  %w = load float, ptr addrspace(1) %p1
  %v = load float, ptr addrspace(1) %p
  %q0 = getelementptr inbounds nuw float, ptr addrspace(1) %own, i64 %index
  store float %w, ptr addrspace(1) %q0
  %q1 = getelementptr inbounds nuw float, ptr addrspace(1) %own, i64 %index1
  store float %v, ptr addrspace(1) %q1
  %next = add i32 %i, 2
  br label %head
end:
  call void @clotho.barrier()
  ret void
}

; A column of a matrix: the next line of it is far away, or read again by others.
; CHECK-LABEL: @column(
; CHECK: body:
; CHECK-NOT: clotho.barrier
; CHECK: end:
define spir_kernel void @column(ptr addrspace(1) %in, ptr addrspace(3) %out, i32 %rounds, i64 %width) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %share = getelementptr float, ptr addrspace(1) %in, i64 %lid
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %total = phi float [ 0.0, %entry ], [ %added, %body ]
  %more = icmp ult i32 %i, %rounds
  br i1 %more, label %body, label %end
body:
  %round = zext i32 %i to i64
  %index = mul i64 %round, %width
  %p = getelementptr float, ptr addrspace(1) %share, i64 %index
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %total, %v
  %next = add i32 %i, 1
  br label %head
end:
  %q = getelementptr float, ptr addrspace(3) %out, i64 %lid
  store float %total, ptr addrspace(3) %q
  call void @clotho.barrier()
  ret void
}

; As many rounds as each work-item wants: no barrier can be there.
; CHECK-LABEL: @divergent(
; CHECK: body:
; CHECK-NOT: clotho.barrier
; CHECK: end:
define spir_kernel void @divergent(ptr addrspace(1) %in, ptr addrspace(3) %out) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %size = call i64 @clotho.local_size(i32 0)
  %share = getelementptr float, ptr addrspace(1) %in, i64 %lid
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %total = phi float [ 0.0, %entry ], [ %added, %body ]
  %more = icmp ult i64 %i, %lid
  br i1 %more, label %body, label %end
body:
  %index = mul i64 %i, %size
  %p = getelementptr float, ptr addrspace(1) %share, i64 %index
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %total, %v
  %next = add i64 %i, 1
  br label %head
end:
  %q = getelementptr float, ptr addrspace(3) %out, i64 %lid
  store float %total, ptr addrspace(3) %q
  call void @clotho.barrier()
  ret void
}

; A single sub-group runs the iterations in order in any case.
; CHECK-LABEL: @one_sub_group(
; CHECK: body:
; CHECK-NOT: clotho.barrier
; CHECK: end:
define spir_kernel void @one_sub_group(ptr addrspace(1) %in, ptr addrspace(3) %out, i32 %rounds) !reqd_work_group_size !0 {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %size = call i64 @clotho.local_size(i32 0)
  %share = getelementptr float, ptr addrspace(1) %in, i64 %lid
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %total = phi float [ 0.0, %entry ], [ %added, %body ]
  %more = icmp ult i32 %i, %rounds
  br i1 %more, label %body, label %end
body:
  %round = zext i32 %i to i64
  %index = mul i64 %round, %size
  %p = getelementptr float, ptr addrspace(1) %share, i64 %index
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %total, %v
  %next = add i32 %i, 1
  br label %head
end:
  %q = getelementptr float, ptr addrspace(3) %out, i64 %lid
  store float %total, ptr addrspace(3) %q
  call void @clotho.barrier()
  ret void
}

attributes #0 = { nounwind memory(none) willreturn }
attributes #1 = { convergent nounwind }

!0 = !{i32 16, i32 1, i32 1}
