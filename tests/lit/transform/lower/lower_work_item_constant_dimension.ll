; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-work-item %s | %check
; A known dimension asks one intrinsic; one that does not exist gives what OpenCL C 3.0, section 6.15.1, says.

declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func i64 @_Z15get_global_sizej(i32)
declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func i32 @_Z12get_work_dimv()

; CHECK-LABEL: @global_id(
; CHECK-NEXT: %[[ID:.*]] = call i64 @clotho.global_id(i32 1)
; CHECK-NEXT: ret i64 %[[ID]]
define i64 @global_id() {
  %id = call spir_func i64 @_Z13get_global_idj(i32 1)
  ret i64 %id
}

; CHECK-LABEL: @no_such_size(
; CHECK-NEXT: ret i64 1
define i64 @no_such_size() {
  %size = call spir_func i64 @_Z15get_global_sizej(i32 3)
  ret i64 %size
}

; CHECK-LABEL: @no_such_id(
; CHECK-NEXT: ret i64 0
define i64 @no_such_id() {
  %id = call spir_func i64 @_Z12get_local_idj(i32 -1)
  ret i64 %id
}

; CHECK-LABEL: @dimensions(
; CHECK-NEXT: call i32 @clotho.work_dim()
define i32 @dimensions() {
  %n = call spir_func i32 @_Z12get_work_dimv()
  ret i32 %n
}

; CHECK-NOT: declare {{.*}}@_Z
