; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=mark-sub-groups,vectorise-4 %s | %check
; A sub-group function is a reduction of the live lanes' vector. Kernels with such have a predicated variant for
; work-groups of one row. It computes no local id from the linear one; only the exact variant does.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i32 @clotho.sub_group.reduce.smax.i32(i32, i32) #1
declare i32 @clotho.sub_group.first.none.i32(i32) #1

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[C:.*]] = icmp slt <4 x i32> %[[X:.*]], zeroinitializer
; CHECK: some:
; CHECK: %[[LIVE:.*]] = select <4 x i1> %{{.*}}, <4 x i32> %[[X]], <4 x i32> splat (i32 -2147483648)
; CHECK: call i32 @llvm.vector.reduce.smax.v4i32(<4 x i32> %[[LIVE]])
; CHECK: call {{.*}} @llvm.cttz
; CHECK: ret void
; CHECK-LABEL: define internal spir_func void @k.predicated(
; CHECK-NOT: urem
; CHECK: icmp ult <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK-NOT: urem
; CHECK: ret void
define spir_kernel void @k(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %c = icmp slt i32 %x, 0
  br i1 %c, label %some, label %out

some:
  %m = call i32 @clotho.sub_group.reduce.smax.i32(i32 %x, i32 0) #1
  %f = call i32 @clotho.sub_group.first.none.i32(i32 %x) #1
  %sum = add i32 %m, %f
  store i32 %sum, ptr addrspace(1) %p, align 4
  br label %out

out:
  ret void
}

; In all lanes: no mask, and the first lane is lane 0.
; CHECK-LABEL: define spir_kernel void @all(
; CHECK-NOT: select
; CHECK: call i32 @llvm.vector.reduce.smax.v4i32(
; CHECK: extractelement <4 x i32> %{{.*}}, i32 0
; CHECK: ret void
define spir_kernel void @all(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %m = call i32 @clotho.sub_group.reduce.smax.i32(i32 %x, i32 0) #1
  %f = call i32 @clotho.sub_group.first.none.i32(i32 %x) #1
  %sum = add i32 %m, %f
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { memory(none) speculatable }
attributes #1 = { convergent memory(none) }
