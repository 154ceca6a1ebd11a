; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=work-group-function %s | %check
; A marked kernel runs as many neighbouring work-groups at once as the launch says, but no further than the row of groups
; and the range. It says how many before it runs them, for fault reports. A required size is no longer the rows' length.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK-LABEL: define internal void @k.cl(
; CHECK: x.next:
; CHECK: icmp ult i64 %{{.*}}, %row_end
; CHECK-LABEL: define dso_local void @clotho_wg_k(
; CHECK: %[[ROW:.*]] = load i64, ptr
; CHECK: %[[GIVEN:.*]] = load i32, ptr
; CHECK: %[[WIDE:.*]] = zext i32 %[[GIVEN]] to i64
; CHECK: %[[MOST:.*]] = call i64 @llvm.umax.i64(i64 %[[WIDE]], i64 1)
; CHECK: group:
; CHECK: %index = phi i64
; CHECK: store volatile i64 %index,
; CHECK: %[[RANGE:.*]] = sub i64 %end, %index
; CHECK: %[[LEFT:.*]] = call i64 @llvm.umin.i64(i64 %{{.*}}, i64 %[[RANGE]])
; CHECK: %[[GROUPS:.*]] = call i64 @llvm.umin.i64(i64 %[[MOST]], i64 %[[LEFT]])
; CHECK: store volatile i64 %[[GROUPS]],
; CHECK: %row_end = mul nuw nsw i64 %[[ROW]], %[[GROUPS]]
; CHECK: call void @k.cl({{.*}}i64 %row_end)
; CHECK: add nuw i64 %index, %[[GROUPS]]
define spir_kernel void @k() !reqd_work_group_size !0 !clotho.facts !1 {
  ret void
}


!0 = !{i32 8, i32 4, i32 2}
!1 = !{!"merged-row", i32 256}
