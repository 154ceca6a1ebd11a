; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-work-item %s | %check

declare spir_func i64 @_Z19get_local_linear_idv()

; (z * size.y + y) * size.x + x
; CHECK: %[[Z:.*]] = call {{.*}}i64 @clotho.local_id(i32 2)
; CHECK: %[[SY:.*]] = call {{.*}}i64 @clotho.local_size(i32 1)
; CHECK: %[[ROWS:.*]] = mul i64 %[[Z]], %[[SY]]
; CHECK: %[[Y:.*]] = call {{.*}}i64 @clotho.local_id(i32 1)
; CHECK: %[[ROW:.*]] = add i64 %[[ROWS]], %[[Y]]
; CHECK: %[[SX:.*]] = call {{.*}}i64 @clotho.local_size(i32 0)
; CHECK: %[[START:.*]] = mul i64 %[[ROW]], %[[SX]]
; CHECK: %[[X:.*]] = call {{.*}}i64 @clotho.local_id(i32 0)
; CHECK: add i64 %[[START]], %[[X]]
define i64 @linear() {
  %id = call spir_func i64 @_Z19get_local_linear_idv()
  ret i64 %id
}
