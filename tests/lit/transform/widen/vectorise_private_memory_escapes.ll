; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Private memory whose address goes somewhere has one whole copy for each lane.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare spir_func void @fill(ptr)

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %array = alloca [48 x i8], align 4
; CHECK: lane:
; CHECK: %[[MINE:.*]] = extractelement <4 x ptr> %{{.*}}, i32 %
; CHECK: call spir_func void @fill(ptr %[[MINE]])
; CHECK: lanes.done:
; CHECK: masked.load.v12i32.p0(ptr {{.*}}%array, <12 x i1> <i1 true, i1 false, i1 false, i1 true,
; CHECK: store <4 x i32>
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %a) {
  %array = alloca [3 x i32], align 4
  %lid = call i64 @clotho.local_id(i32 0)
  call spir_func void @fill(ptr %array)
  %x = load i32, ptr %array, align 4
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 %x, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
