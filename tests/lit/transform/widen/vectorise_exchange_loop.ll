; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A loop that tries an exchange again is run for one lane after the other, each to its end. What is around it is computed in vectors.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; A lock stays what it was: such a kernel has one lane.
; CHECK-LABEL: define spir_kernel void @locks(
; CHECK-NOT: <4 x
; CHECK: ret void
define spir_kernel void @locks(ptr addrspace(1) %lock, ptr addrspace(1) %sum) {
entry:
  br label %loop
loop:
  %pair = cmpxchg volatile ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  %n = load i32, ptr addrspace(1) %sum
  %m = add i32 %n, 1
  store i32 %m, ptr addrspace(1) %sum
  store volatile i32 0, ptr addrspace(1) %lock
  ret void
}

; An exchange of values that are computed in vectors.
; CHECK-LABEL: define spir_kernel void @adds(
; CHECK: fmul <4 x float>
; CHECK-NOT: prefetch
; CHECK: lane:
; CHECK: %[[LANE:.*]] = call i32 @llvm.cttz.i32(
; CHECK: %[[PLACE:.*]] = extractelement <4 x ptr addrspace(1)> %{{.*}}, i32 %[[LANE]]
; CHECK: br label %loop.i
; CHECK: loop.i:
; CHECK: load volatile float, ptr addrspace(1) %[[PLACE]]
; CHECK: fadd float
; CHECK: cmpxchg volatile ptr addrspace(1) %[[PLACE]], i32
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %loop.i
; CHECK: insertelement <4 x float>
; CHECK: br i1 %{{.*}}, label %lane, label %lanes.done
; CHECK: fdiv <4 x float>
; CHECK: store <4 x float>
; CHECK-LABEL: define internal spir_func void @adds.predicated(
; CHECK-NOT: define {{.*}}.exchange
define spir_kernel void @adds(ptr addrspace(1) %places, ptr addrspace(1) %values, ptr addrspace(1) %sums, ptr addrspace(1) %seen) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %at = getelementptr i64, ptr addrspace(1) %places, i64 %lid
  %i = load i64, ptr addrspace(1) %at
  %sum = getelementptr float, ptr addrspace(1) %sums, i64 %i
  %p = getelementptr float, ptr addrspace(1) %values, i64 %lid
  %value = load float, ptr addrspace(1) %p
  %twice = fmul float %value, %value
  br label %loop
loop:
  %old = load volatile float, ptr addrspace(1) %sum
  %expected = bitcast float %old to i32
  %more = fadd float %old, %twice
  %new = bitcast float %more to i32
  %pair = cmpxchg volatile ptr addrspace(1) %sum, i32 %expected, i32 %new monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  %part = fdiv float %old, %twice
  %to = getelementptr float, ptr addrspace(1) %seen, i64 %lid
  store float %part, ptr addrspace(1) %to
  ret void
}

; An insertion comes to places of which nothing has been read: those of all lanes are prefetched before.
; CHECK-LABEL: define spir_kernel void @inserts(
; CHECK-COUNT-4: call void @llvm.prefetch.p1(ptr addrspace(1) %{{.*}}, i32 1, i32 3, i32 1)
; CHECK-NOT: prefetch
; CHECK: lane:
; CHECK: cmpxchg volatile ptr addrspace(1) %{{.*}}, i32 0, i32 %
; CHECK: lanes.done:
; CHECK-LABEL: define internal spir_func void @inserts.predicated(
define spir_kernel void @inserts(ptr addrspace(1) %keys, ptr addrspace(1) %table) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %keys, i64 %lid
  %key = load i32, ptr addrspace(1) %at
  %first = mul i32 %key, 77
  br label %loop
loop:
  %h = phi i32 [ %first, %entry ], [ %next, %loop ]
  %place = and i32 %h, 1023
  %i = zext i32 %place to i64
  %p = getelementptr i32, ptr addrspace(1) %table, i64 %i
  %pair = cmpxchg volatile ptr addrspace(1) %p, i32 0, i32 %key monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  %next = add i32 %h, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; The first place is a remainder that the first round need not come to, and its divisor may be zero.
; CHECK-LABEL: define spir_kernel void @divides(
; CHECK-NOT: prefetch
; CHECK-NOT: urem
; CHECK: lane:
; CHECK: urem i32
; CHECK: cmpxchg volatile ptr addrspace(1) %{{.*}}, i32 0, i32 %
; CHECK: lanes.done:
; CHECK-LABEL: define internal spir_func void @divides.predicated(
define spir_kernel void @divides(ptr addrspace(1) %keys, ptr addrspace(1) %table, ptr addrspace(1) %sizes) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %keys, i64 %lid
  %key = load i32, ptr addrspace(1) %at
  %sizeAt = getelementptr i32, ptr addrspace(1) %sizes, i64 %lid
  %size = load i32, ptr addrspace(1) %sizeAt
  br label %loop
loop:
  %h = phi i32 [ %key, %entry ], [ %next, %try ]
  %none = icmp ugt i32 %h, 1000000
  br i1 %none, label %end, label %try
try:
  %place = urem i32 %h, %size
  %i = zext i32 %place to i64
  %p = getelementptr i32, ptr addrspace(1) %table, i64 %i
  %pair = cmpxchg volatile ptr addrspace(1) %p, i32 0, i32 %key monotonic monotonic
  %ok = extractvalue { i32, i1 } %pair, 1
  %next = add i32 %h, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

attributes #0 = { memory(none) nounwind willreturn }
