; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-work-item %s | %check
; One thread runs a work-group, so only what other work-groups must see needs a fence.

declare spir_func void @_Z7barrierj(i32)
declare spir_func void @_Z18work_group_barrierj12memory_scope(i32, i32)

; CHECK-LABEL: @group(
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: ret void
define void @group() {
  call spir_func void @_Z7barrierj(i32 1)
  call spir_func void @_Z18work_group_barrierj12memory_scope(i32 1, i32 1)
  ret void
}

; CHECK-LABEL: @device(
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: fence acq_rel
; CHECK-NEXT: ret void
define void @device() {
  call spir_func void @_Z18work_group_barrierj12memory_scope(i32 2, i32 2)
  ret void
}
