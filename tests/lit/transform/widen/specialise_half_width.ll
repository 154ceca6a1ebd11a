; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes="vectorise,function(isolate-barriers),work-group-function" %s | %check
; Most of 64 lanes for which an assumption fails are not at the edge: the variant for 16 tests them again, up to the end
; of the wide sub-group and of the row, and leaves those that still fail to the equally narrow predicated variant.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define internal void @k.cl(
; CHECK: %[[X:.*]] = phi i64 [ %local_id.x, %
; CHECK: %[[NEXT:.*]] = add nuw i64 %[[X]], 64
; CHECK: %[[ITS_END:.*]] = call i64 @llvm.umin.i64(i64 %row_end, i64 %[[NEXT]])
; CHECK: call void @k.half_width.cl(ptr %launch, ptr %context, ptr %frame, i64 %group.x, i64 %group.y, i64 %group.z, i64 %[[ITS_END]], i64 %[[X]], i64 %local_id.y, i64 %local_id.z, ptr addrspace(1) %a, i64 %n)
; CHECK-NOT: masked
; CHECK: store <64 x i8>
; CHECK-NOT: masked
; CHECK-LABEL: define internal void @k.predicated.cl(
; CHECK: masked.store.v16i8
; CHECK-LABEL: define internal void @k.half_width.cl(
; CHECK: %[[X:.*]] = phi i64 [ %x, %
; CHECK: %[[NEXT:.*]] = add nuw i64 %[[X]], 16
; CHECK: %[[ITS_END:.*]] = call i64 @llvm.umin.i64(i64 %row_end, i64 %[[NEXT]])
; CHECK: call void @k.predicated.cl(ptr %launch, ptr %context, ptr %frame, i64 %group.x, i64 %group.y, i64 %group.z, i64 %[[ITS_END]], i64 %[[X]], i64 %y, i64 %z, ptr addrspace(1) %a, i64 %n)
; CHECK-NOT: masked
; CHECK: store <16 x i8>
; CHECK-NOT: masked
; CHECK-LABEL: define {{.*}}void @clotho_wg_k(
; CHECK-NOT: @k.fallback
define spir_kernel void @k(ptr addrspace(1) %a, i64 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %less = icmp ult i64 %lid, %n
  br i1 %less, label %then, label %end

then:
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %lid
  store i8 1, ptr addrspace(1) %p, align 1
  br label %end

end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
