; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Sixteen rows decide alike by a comparison with what is the same for all if the first and the last do, and the number
; that is compared does not wrap around from one to the other. A comparison for equality is asked of each row.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define internal spir_func void @ordered.rows(
; CHECK: agree:
; CHECK: %[[FIRST:.*]] = trunc i64 %{{.*}} to i32
; CHECK: %[[LAST:.*]] = trunc i64 %{{.*}} to i32
; CHECK: icmp ule i32 %[[FIRST]], %[[LAST]]
; CHECK-COUNT-2: icmp ult i32 %{{.*}}, %h
; CHECK-NOT: , %h
; CHECK: smaller:
; CHECK-LABEL: define internal spir_func void @equal.rows(
; CHECK: agree:
; CHECK-COUNT-16: icmp ne i32 %{{.*}}, %h
; CHECK: smaller:
define spir_kernel void @ordered(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %w, i32 %h) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %y32 = trunc i64 %y to i32
  %inside = icmp ult i32 %y32, %h
  br i1 %inside, label %copy, label %end

copy:
  %row = mul i64 %y, %w
  %from = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %in, i64 %from
  %v = load float, ptr addrspace(1) %p, align 4
  %column = mul i64 %x, %w
  %to = add i64 %column, %y
  %q = getelementptr float, ptr addrspace(1) %out, i64 %to
  store float %v, ptr addrspace(1) %q, align 4
  br label %end

end:
  ret void
}

define spir_kernel void @equal(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %w, i32 %h) {
  %x = call i64 @clotho.local_id(i32 0)
  %y = call i64 @clotho.local_id(i32 1)
  %y32 = trunc i64 %y to i32
  %inside = icmp ne i32 %y32, %h
  br i1 %inside, label %copy, label %end

copy:
  %row = mul i64 %y, %w
  %from = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %in, i64 %from
  %v = load float, ptr addrspace(1) %p, align 4
  %column = mul i64 %x, %w
  %to = add i64 %column, %y
  %q = getelementptr float, ptr addrspace(1) %out, i64 %to
  store float %v, ptr addrspace(1) %q, align 4
  br label %end

end:
  ret void
}

attributes #0 = { nofree nosync nounwind speculatable willreturn memory(none) }
