; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-work-item %s | %check

declare spir_func i64 @_Z14get_local_sizej(i32)

; CHECK-LABEL: @size(
; CHECK: %[[IS0:.*]] = icmp eq i32 %dimension, 0
; CHECK: %[[SIZE0:.*]] = call {{.*}}i64 @clotho.local_size(i32 0)
; CHECK: %[[UPTO0:.*]] = select i1 %[[IS0]], i64 %[[SIZE0]], i64 1
; CHECK: %[[UPTO1:.*]] = select i1 %{{.*}}, i64 %{{.*}}, i64 %[[UPTO0]]
; CHECK: %[[UPTO2:.*]] = select i1 %{{.*}}, i64 %{{.*}}, i64 %[[UPTO1]]
; CHECK: ret i64 %[[UPTO2]]
define i64 @size(i32 %dimension) {
  %size = call spir_func i64 @_Z14get_local_sizej(i32 %dimension)
  ret i64 %size
}
