; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=mark-sub-groups,vectorise %s | %check
; With a known size of work-groups, a sub-group has no lanes that no work-group fills, queries still return the full
; size, and there is no variant for other sizes.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_base(i32) #0
declare i64 @clotho.sub_group_width() #0
declare i32 @clotho.sub_group.reduce.smax.i32(i32, i32) #1

; CHECK-NOT: .predicated
; CHECK-LABEL: define spir_kernel void @eight(
; CHECK-NOT: icmp
; CHECK: load <8 x i32>
; CHECK: call i32 @llvm.vector.reduce.smax.v8i32(
; CHECK: add i64 %{{.*}}, 16
; CHECK: ret void
define spir_kernel void @eight(ptr addrspace(1) %a) !reqd_work_group_size !0 {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %m = call i32 @clotho.sub_group.reduce.smax.i32(i32 %x, i32 0) #1
  %long = zext i32 %m to i64
  %width = call i64 @clotho.sub_group_width()
  %sum = add i64 %long, %width
  %y = trunc i64 %sum to i32
  store i32 %y, ptr addrspace(1) %p, align 4
  ret void
}

; Three lanes of four.
; CHECK-LABEL: define spir_kernel void @three(
; CHECK: icmp ult <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK: call <4 x i32> @llvm.masked.load.v4i32
; CHECK: ret void
define spir_kernel void @three(ptr addrspace(1) %a) !reqd_work_group_size !1 {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %m = call i32 @clotho.sub_group.reduce.smax.i32(i32 %x, i32 0) #1
  store i32 %m, ptr addrspace(1) %p, align 4
  ret void
}

; Each of the sub-groups has two rows, which are loaded and stored one by one, wherever they lie. A row has one element
; of its own.
; CHECK-LABEL: define spir_kernel void @rows(
; CHECK-NOT: masked.gather
; CHECK-COUNT-2: load <8 x i32>
; CHECK: shufflevector <8 x i32>
; CHECK-COUNT-2: load i32,
; CHECK: shufflevector <2 x i32> %{{.*}} <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 1,
; CHECK-NOT: masked.scatter
; CHECK-COUNT-2: store <8 x i32>
; CHECK: ret void
define spir_kernel void @rows(ptr addrspace(1) %a, i32 %pitch) !reqd_work_group_size !2 {
  %x = call i64 @clotho.local_id(i32 0)
  %gx = call i64 @clotho.group_base(i32 0)
  %gidx = add nuw i64 %gx, %x
  %column = trunc i64 %gidx to i32
  %y = call i64 @clotho.local_id(i32 1)
  %gy = call i64 @clotho.group_base(i32 1)
  %gidy = add nuw i64 %gy, %y
  %row = trunc i64 %gidy to i32
  %begin = mul nsw i32 %row, %pitch
  %index = add nsw i32 %begin, %column
  %at = sext i32 %index to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %v = load i32, ptr addrspace(1) %p, align 4
  %first = sext i32 %begin to i64
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %first
  %f = load i32, ptr addrspace(1) %q, align 4
  %m = call i32 @clotho.sub_group.reduce.smax.i32(i32 %v, i32 0) #1
  %sum = add i32 %m, %f
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { memory(none) speculatable }
attributes #1 = { convergent memory(none) }
!0 = !{i32 8, i32 1, i32 1}
!1 = !{i32 3, i32 1, i32 1}
!2 = !{i32 8, i32 8, i32 1}
