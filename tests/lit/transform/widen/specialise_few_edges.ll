; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes="vectorise,function(isolate-barriers),work-group-function" %s | %check
; If one row is nearly the whole launch, wide sub-groups at an edge are too few for a variant of their own: the narrower
; predicated variant runs the remainder of one in a loop.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.group_base(i32) #0

; CHECK-LABEL: define internal void @k.cl(
; CHECK: %[[END:.*]] = call i64 @llvm.umin.i64(i64 %row_end, i64 %{{.*}})
; CHECK: [[LOOP:.*]]: ; preds = %[[LOOP]], %{{.*}}
; CHECK: %[[X:.*]] = phi i64 [ %{{.*}}, %{{.*}} ], [ %[[NEXT:.*]], %[[LOOP]] ]
; CHECK: call void @k.predicated.cl({{.*}}, i64 %[[END]], i64 %[[X]], 
; CHECK: %[[NEXT]] = add nuw i64 %[[X]], 16
; CHECK: %[[MORE:.*]] = icmp ult i64 %[[NEXT]], %[[END]]
; CHECK: br i1 %[[MORE]], label %[[LOOP]], label
; CHECK: store <64 x i8>
; CHECK-LABEL: define internal void @k.predicated.cl(
; CHECK: masked.store.v16i8
; CHECK-NOT: @k.half_width
define spir_kernel void @k(ptr addrspace(1) %a, i64 %n) !clotho.facts !0 {
  %base = call i64 @clotho.group_base(i32 0)
  %lid = call i64 @clotho.local_id(i32 0)
  %id = add nuw i64 %base, %lid
  %less = icmp ult i64 %id, %n
  br i1 %less, label %then, label %end

then:
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %id
  store i8 1, ptr addrspace(1) %p, align 1
  br label %end

end:
  ret void
}

; With two dimensions, each row has edges.
; CHECK-LABEL: define internal void @two.cl(
; CHECK: call void @two.half_width.cl(
define spir_kernel void @two(ptr addrspace(1) %a, i64 %n) !clotho.facts !0 {
  %base = call i64 @clotho.group_base(i32 0)
  %lid = call i64 @clotho.local_id(i32 0)
  %x = add nuw i64 %base, %lid
  %base.y = call i64 @clotho.group_base(i32 1)
  %row = mul i64 %base.y, %n
  %id = add i64 %row, %x
  %less = icmp ult i64 %x, %n
  br i1 %less, label %then, label %end

then:
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %id
  store i8 1, ptr addrspace(1) %p, align 1
  br label %end

end:
  ret void
}

; The predicated variants are marked as rarely executed.
; CHECK: !{{[0-9]+}} = {{.*}}!"seldom", i1 true

attributes #0 = { nounwind willreturn speculatable memory(none) }
!0 = !{!"merged-row", i32 4096}
