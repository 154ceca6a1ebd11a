; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Three cases, two of which go the same way: two comparisons for that way, one for the other, and no search for either.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: @choose(
; CHECK-NOT: icmp {{s|u}}{{l|g}}{{t|e}} <4 x i32>
; CHECK-DAG: icmp eq <4 x i32> %{{.*}}, splat (i32 7)
; CHECK-DAG: icmp eq <4 x i32> %{{.*}}, splat (i32 3)
; CHECK-DAG: icmp eq <4 x i32> %{{.*}}, splat (i32 5)
; CHECK-NOT: icmp {{s|u}}{{l|g}}{{t|e}} <4 x i32>
; CHECK-LABEL: }
define spir_kernel void @choose(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %lid = call i64 @clotho.local_id(i32 0)
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %lid
  %number = load i32, ptr addrspace(1) %from
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %lid
  switch i32 %number, label %end [
    i32 3, label %one
    i32 7, label %other
    i32 5, label %one
  ]
one:
  store i32 1, ptr addrspace(1) %to
  br label %end
other:
  store i32 2, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

attributes #0 = { nounwind memory(none) }
