; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-printf %s | %check
; A record: size and format index, then each argument at a multiple of 8; vectors whole, floats as doubles.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

@format = private addrspace(2) constant [7 x i8] c"%d %f\0A\00"
@other = private addrspace(2) constant [4 x i8] c"%s\0A\00"
@text = private addrspace(2) constant [3 x i8] c"hi\00"

declare spir_func i32 @printf(ptr addrspace(2), ...)

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[BUFFER:.*]] = call ptr @clotho.printf_buffer()
; CHECK: %[[RECORD:.*]] = call ptr @clotho.printf_reserve(ptr %[[BUFFER]], i64 32)
; CHECK: %dropped = icmp eq ptr %[[RECORD]], null
; CHECK: select i1 %dropped, i32 -1, i32 0
; CHECK: store i32 32, ptr %[[RECORD]]
; CHECK: %[[INDEX:.*]] = getelementptr inbounds i8, ptr %[[RECORD]], i64 4
; CHECK: store i32 0, ptr %[[INDEX]]
; CHECK: %[[FIRST:.*]] = getelementptr inbounds i8, ptr %[[RECORD]], i64 8
; CHECK: store <3 x i32> %v, ptr %[[FIRST]]
; CHECK: %[[SECOND:.*]] = getelementptr inbounds i8, ptr %[[RECORD]], i64 24
; CHECK: store double %{{.*}}, ptr %[[SECOND]]
; A repeated call has the same format.
; CHECK: store i32 0, ptr
; CHECK: store i32 1, ptr
; CHECK: store ptr addrspace(2) @text
define spir_kernel void @k(<3 x i32> %v, float %f) {
  %r = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @format, <3 x i32> %v, float %f)
  %s = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @format, <3 x i32> %v, float %f)
  %t = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @other, ptr addrspace(2) @text)
  ret void
}

; Room is reserved only if there is some, so what is used never passes the capacity.
; CHECK-LABEL: define internal ptr @clotho.printf_reserve(ptr %0, i64 %1)
; CHECK: icmp ule i64 %{{.*}}, %{{.*}}
; CHECK: cmpxchg ptr %0

; CHECK: !clotho.printf = !{![[FORMAT0:[0-9]+]], ![[FORMAT1:[0-9]+]]}
; CHECK: ![[FORMAT0]] = !{!"%d %f\0A", i32 16, i32 8}
; CHECK: ![[FORMAT1]] = !{!"%s\0A", i32 8}
