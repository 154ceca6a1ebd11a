; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-sub-groups %s | %check
; Sub-group functions come down to a few operations; the mangled type says whether numbers are signed.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare spir_func i32 @_Z20sub_group_reduce_mini(i32)
declare spir_func i32 @_Z20sub_group_reduce_minj(i32)

declare spir_func i32 @_Z13sub_group_alli(i32)

declare spir_func void @_Z17sub_group_barrierj(i32)
declare spir_func i32 @_Z18get_sub_group_sizev()

; CHECK-LABEL: @k(
; CHECK: call i32 @clotho.sub_group.reduce.smin.i32(i32 %x, i32 0) #[[CONVERGENT:[0-9]+]]
; CHECK: call i32 @clotho.sub_group.reduce.umin.i32(i32 %x, i32 0)
; CHECK: %[[TRUTH:.*]] = icmp ne i32 %x, 0
; CHECK: call i1 @clotho.sub_group.reduce.and.i1(i1 %[[TRUTH]], i32 0)
; CHECK: call void @clotho.sub_group.barrier.none.i1(i1 false)
; CHECK: %[[LEFT:.*]] = sub i64 %{{.*}}, %{{.*}}
; CHECK: call i64 @llvm.umin.i64(i64 %[[LEFT]], i64 %{{.*}})
; CHECK: attributes #[[CONVERGENT]] = { convergent }
define void @k(i32 %x) {
  %a = call spir_func i32 @_Z20sub_group_reduce_mini(i32 %x)
  %b = call spir_func i32 @_Z20sub_group_reduce_minj(i32 %x)
  %c = call spir_func i32 @_Z13sub_group_alli(i32 %x)
  call spir_func void @_Z17sub_group_barrierj(i32 1)
  %d = call spir_func i32 @_Z18get_sub_group_sizev()
  ret void
}
