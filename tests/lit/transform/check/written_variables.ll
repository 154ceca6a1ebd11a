; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes='check-memory,function(simplifycfg)' %s | %check

; A variable that is written on all ways needs no check.
; CHECK-LABEL: define spir_kernel void @always(
; CHECK-NOT: clotho.check
; CHECK: ret void
define spir_kernel void @always(i1 %c) {
  %x = alloca i32
  br i1 %c, label %then, label %else
then:
  store i32 1, ptr %x
  br label %end
else:
  store i32 2, ptr %x
  br label %end
end:
  %v = load i32, ptr %x
  call void @use(i32 %v)
  ret void
}

; On one way it is not, so its shadow says which way was taken.
; CHECK-LABEL: define spir_kernel void @sometimes(
; CHECK: %[[WRITTEN:.*]] = select i1 %c, i32 -1, i32 0
; CHECK: %[[LACKS:.*]] = icmp ne i32 %[[WRITTEN]], -1
; CHECK: br i1 %[[LACKS]]
; CHECK: call void @clotho.check.report(i1 true,
define spir_kernel void @sometimes(i1 %c) {
  %x = alloca i32
  br i1 %c, label %then, label %end
then:
  store i32 1, ptr %x
  br label %end
end:
  %v = load i32, ptr %x
  call void @use(i32 %v)
  ret void
}

declare void @use(i32)
