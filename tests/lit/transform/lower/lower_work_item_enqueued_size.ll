; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-work-item %s | %check
; The enqueued size is another fact than the work-group's own, and fits where that fits.

declare spir_func i64 @_Z23get_enqueued_local_sizej(i32)
declare spir_func i64 @_Z14get_local_sizej(i32)

; CHECK-LABEL: define i64 @sizes(
; CHECK: call range(i64 1, 2147483648) i64 @clotho.enqueued_size(i32 1)
; CHECK: call range(i64 1, 2147483648) i64 @clotho.local_size(i32 1)
; CHECK: ret i64
define i64 @sizes() {
  %enqueued = call spir_func i64 @_Z23get_enqueued_local_sizej(i32 1)
  %own = call spir_func i64 @_Z14get_local_sizej(i32 1)
  %sum = add i64 %enqueued, %own
  ret i64 %sum
}

; CHECK-LABEL: define i64 @none(
; CHECK: ret i64 1
define i64 @none() {
  %size = call spir_func i64 @_Z23get_enqueued_local_sizej(i32 3)
  ret i64 %size
}
