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

declare spir_func void @_Z31intel_work_group_barrier_arrivej(i32)
declare spir_func void @_Z29intel_work_group_barrier_waitj(i32)
declare spir_func void @_Z31intel_work_group_barrier_arrivej12memory_scope(i32, i32)
declare spir_func void @_Z29intel_work_group_barrier_waitj12memory_scope(i32, i32)

; Work-items wait in the second half of a split barrier. To others, each half is a fence.
; CHECK-LABEL: @split_group(
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: ret void
define void @split_group() {
  call spir_func void @_Z31intel_work_group_barrier_arrivej(i32 1)
  call spir_func void @_Z29intel_work_group_barrier_waitj(i32 1)
  call spir_func void @_Z31intel_work_group_barrier_arrivej12memory_scope(i32 1, i32 1)
  call spir_func void @_Z29intel_work_group_barrier_waitj12memory_scope(i32 1, i32 1)
  ret void
}

; CHECK-LABEL: @split_device(
; CHECK-NEXT: fence release
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: fence acq_rel
; CHECK-NEXT: ret void
define void @split_device() {
  call spir_func void @_Z31intel_work_group_barrier_arrivej12memory_scope(i32 2, i32 2)
  call spir_func void @_Z29intel_work_group_barrier_waitj12memory_scope(i32 2, i32 2)
  ret void
}
