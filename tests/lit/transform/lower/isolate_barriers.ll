; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=isolate-barriers %s | %check

declare void @clotho.barrier()

; CHECK-LABEL: @k(
; The way from a branch to a block that others reach too gets a block of its own.
; CHECK: br i1 %c, label %then, label %[[EDGE:.*]]
; CHECK: [[EDGE]]:
; CHECK-NEXT: br label %end
; CHECK: then:
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: br label %[[NEXT:.*]]
; CHECK: [[NEXT]]:
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: br label %[[LAST:.*]]
; CHECK: [[LAST]]:
; CHECK-NEXT: br label %end
define spir_kernel void @k(i1 %c) {
  br i1 %c, label %then, label %end
then:
  call void @clotho.barrier()
  call void @clotho.barrier()
  br label %end
end:
  ret void
}
