; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=work-group-function %s | %check
; At a marked barrier the work-group's function returns, with the region to go on with; the next call begins there. What
; is kept once for the group lies behind its frame. Neighbouring groups are called in turn, each with its own frame.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32)
declare void @clotho.barrier()

; CHECK-LABEL: define internal i64 @sum.cl(
; CHECK-SAME: i64 %row_end, i64 %resume,
; CHECK: %[[STATE:.*]] = getelementptr inbounds i8, ptr %frame, i64 %
; CHECK: switch i64 %resume, label %region0 [
; CHECK-NEXT: i64 [[NEXT:[0-9]+]], label %region[[NEXT]]
; CHECK-NEXT: ]
; CHECK: ret i64 0
; CHECK: ret i64 [[NEXT]]

; CHECK-LABEL: define dso_local void @clotho_wg_sum(
; CHECK: %[[GROUPS:.*]] = call i64 @llvm.umin.i64(
; CHECK: iteration:
; CHECK: %is_first = phi i1 [ true, %{{.*}} ], [ false, %iteration.end ]
; CHECK: each:
; CHECK: %[[GROUP:group[0-9]*]] = phi i64 [ 0, %iteration ]
; CHECK: %[[PLACE:.*]] = mul i64 %[[GROUP]], %[[STRIDE:.*]]
; CHECK: %[[FRAME:.*]] = getelementptr i8, ptr %{{.*}}, i64 %[[PLACE]]
; CHECK: %resume = select i1 %is_first, i64 0, i64 %
; CHECK: run:
; CHECK: store volatile i64
; CHECK: %[[SAYS:.*]] = call i64 @sum.cl({{.*}}ptr %[[FRAME]], {{.*}}, i64 %resume,
; CHECK: store i64 %[[SAYS]],
define spir_kernel void @sum(ptr addrspace(1) %in, ptr addrspace(3) %part, i64 %n, i64 %step) !clotho.facts !1 {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %start = udiv i64 %n, %step
  br label %head
head:
  %i = phi i64 [ %start, %entry ], [ %next, %turn ]
  %total = phi <4 x i32> [ zeroinitializer, %entry ], [ %added, %turn ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %index = add i64 %i, %lid
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %index
  %v = load <4 x i32>, ptr addrspace(1) %p, align 4
  %added = add <4 x i32> %total, %v
  br label %barrier
barrier:
  call void @clotho.barrier(), !clotho.interleave !0
  br label %turn
turn:
  %next = add i64 %i, %step
  br label %head
end:
  %q = getelementptr i32, ptr addrspace(3) %part, i64 %lid
  store <4 x i32> %total, ptr addrspace(3) %q, align 4
  br label %last
last:
  call void @clotho.barrier()
  br label %done
done:
  ret void
}

; There is one local memory for all, and here it is in use before.
; CHECK-LABEL: define internal void @kept.cl(
; CHECK-NOT: resume
define spir_kernel void @kept(ptr addrspace(1) %in, ptr addrspace(3) %part, i64 %n, i64 %step) !clotho.facts !1 {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %q = getelementptr i32, ptr addrspace(3) %part, i64 %lid
  store <4 x i32> zeroinitializer, ptr addrspace(3) %q, align 4
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %body, label %end
body:
  br label %barrier
barrier:
  call void @clotho.barrier(), !clotho.interleave !0
  br label %turn
turn:
  %next = add i64 %i, %step
  br label %head
end:
  %v = load <4 x i32>, ptr addrspace(3) %q, align 4
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %lid
  store <4 x i32> %v, ptr addrspace(1) %p, align 4
  ret void
}


!0 = !{}
!1 = !{!"width", i32 4}
