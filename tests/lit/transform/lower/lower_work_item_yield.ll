; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-work-item %s | %check
; While a named barrier waits (src/builtins/named_barrier.cl), other sub-groups run.

declare spir_func void @clotho.let_others_run()

; CHECK-LABEL: @waits(
; CHECK-NEXT: call void @clotho.yield()
; CHECK-NEXT: ret void
define void @waits() {
  call spir_func void @clotho.let_others_run()
  ret void
}
