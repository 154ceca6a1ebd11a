; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Whether a lane has the one number that is asked for is a question of how far that is from the first lane's, where lanes
; have numbers in a row; numbers may wrap around.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: define spir_kernel void @last(
; CHECK: %[[FROM:.*]] = sub i32 %number, %[[FIRST:.*]]
; CHECK: %any = icmp ult i32 %[[FROM]], 4
; CHECK: br i1 %any, label %
; CHECK-LABEL: define internal spir_func void @last.predicated(
define spir_kernel void @last(ptr addrspace(1) %a, i32 %number) {
entry:
  call void @clotho.barrier()
  %lid = call i64 @clotho.local_id(i32 0)
  %id = trunc i64 %lid to i32
  %is = icmp eq i32 %id, %number
  br i1 %is, label %then, label %end
then:
  store volatile i32 1, ptr addrspace(1) %a, align 4
  br label %end
end:
  ret void
}

; Numbers two apart pass by the one in between.
; CHECK-LABEL: define spir_kernel void @even(
; CHECK: %[[IS:.*]] = icmp eq <4 x i32>
; CHECK: bitcast <4 x i1> %[[IS]] to i4
; CHECK-LABEL: define internal spir_func void @even.predicated(
define spir_kernel void @even(ptr addrspace(1) %a, i32 %number) {
entry:
  call void @clotho.barrier()
  %lid = call i64 @clotho.local_id(i32 0)
  %id = trunc i64 %lid to i32
  %twice = shl i32 %id, 1
  %is = icmp eq i32 %twice, %number
  br i1 %is, label %then, label %end
then:
  store volatile i32 1, ptr addrspace(1) %a, align 4
  br label %end
end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
