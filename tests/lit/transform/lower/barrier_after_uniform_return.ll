; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes="function(isolate-barriers),work-group-function" %s | %check
; If either all work-items return or none does, no flag is kept.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare void @clotho.barrier() #1

; CHECK-LABEL: define internal void @k.cl(
; CHECK-NOT: %returned
; CHECK: !"frame-bytes-per-item", i64 0
define spir_kernel void @k(i32 %n) {
  %nothing = icmp eq i32 %n, 0
  br i1 %nothing, label %end, label %work
work:
  call void @clotho.barrier()
  br label %end
end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { convergent nounwind }
