; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=specialise-strides %s | %check
; What indexes local memory by lid & (stride - 1) is copied for small strides, and for multiples of 16.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: @k(
; CHECK: switch i64 %stride, label %stride.large [
; CHECK: i64 1, label %[[ONE:.*]]
; CHECK: i64 8, label %[[EIGHT:.*]]
; CHECK: stride.large:
; CHECK: %[[MASK:.*]] = or i64 %mask, 15
; CHECK: br i1 %{{.*}}, label %[[ROWS:.*]], label %
; CHECK: end:
; CHECK: [[ONE]]:
; CHECK-NEXT: and i64 %lid, 0
; CHECK: [[EIGHT]]:
; CHECK-NEXT: and i64 %lid, 7
; CHECK: [[ROWS]]:
; CHECK-NEXT: and i64 %lid, %[[MASK]]
define spir_kernel void @k(ptr addrspace(3) %data, i64 %stride, i1 %c) {
  %lid = call i64 @clotho.local_id(i32 0)
  %mask = add i64 %stride, -1
  %low = and i64 %mask, %lid
  %p = getelementptr float, ptr addrspace(3) %data, i64 %low
  store float 1.0, ptr addrspace(3) %p
  br i1 %c, label %then, label %end
then:
  store float 2.0, ptr addrspace(3) %p
  br label %end
end:
  ret void
}

; Later code has it too.
; CHECK-LABEL: @used(
; CHECK-NOT: switch
; CHECK-LABEL: }
define spir_kernel void @used(ptr addrspace(3) %data, i64 %stride, i1 %c) {
  %lid = call i64 @clotho.local_id(i32 0)
  %mask = add i64 %stride, -1
  %low = and i64 %mask, %lid
  %p = getelementptr float, ptr addrspace(3) %data, i64 %low
  br i1 %c, label %then, label %end
then:
  store float 2.0, ptr addrspace(3) %p
  br label %end
end:
  store float 3.0, ptr addrspace(3) %p
  ret void
}

attributes #0 = { nounwind speculatable willreturn memory(none) }
