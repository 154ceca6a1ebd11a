; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=wanted-values %s | %check
; Which arguments say how often loops go round, or by what ids are divided.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare i64 @clotho.global_id(i32) #0
declare i64 @clotho.global_size(i32) #0

; From -radius to radius: argument 1, of which the limit and the beginning are made. Argument 2 is only computed with.
; CHECK-DAG: define spir_kernel void @filter({{.*}} !clotho.facts ![[FILTER:[0-9]+]]
; CHECK-DAG: ![[FILTER]] = {{.*}}!"wanted-values", i64 2}
define spir_kernel void @filter(ptr addrspace(1) %out, i32 %radius, i32 %factor) {
entry:
  %first = sub i32 0, %radius
  br label %loop
loop:
  %k = phi i32 [ %first, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %added, %loop ]
  %term = mul i32 %k, %factor
  %added = add i32 %sum, %term
  %next = add nsw i32 %k, 1
  %more = icmp sle i32 %next, %radius
  br i1 %more, label %loop, label %end
end:
  store i32 %added, ptr addrspace(1) %out
  ret void
}

; Half of it again and again, and ids divided by another.
; CHECK-DAG: define spir_kernel void @steps({{.*}} !clotho.facts ![[STEPS:[0-9]+]]
; CHECK-DAG: ![[STEPS]] = {{.*}}!"wanted-values", i64 6}
define spir_kernel void @steps(ptr addrspace(1) %out, i32 %size, i16 %columns) {
entry:
  %half = lshr i32 %size, 1
  br label %loop
loop:
  %d = phi i32 [ %half, %entry ], [ %next, %loop ]
  %count = phi i32 [ 0, %entry ], [ %added, %loop ]
  %added = add i32 %count, 3
  %next = lshr i32 %d, 1
  %more = icmp ne i32 %next, 0
  br i1 %more, label %loop, label %end
end:
  %id = call i64 @clotho.global_id(i32 0)
  %wide = zext i16 %columns to i64
  %column = urem i64 %id, %wide
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %column
  store i32 %added, ptr addrspace(1) %place
  ret void
}

; The trip count is unknown: the loop's first or last value varies between work-items, or is in memory.
; CHECK-DAG: define spir_kernel void @all_the_way(ptr addrspace(1) %out, i32 %n) {
define spir_kernel void @all_the_way(ptr addrspace(1) %out, i32 %n) {
entry:
  %id = call i64 @clotho.global_id(i32 0)
  %start = trunc i64 %id to i32
  %size = call i64 @clotho.global_size(i32 0)
  %step = trunc i64 %size to i32
  %end = load i32, ptr addrspace(1) %out
  br label %loop
loop:
  %i = phi i32 [ %start, %entry ], [ %next, %loop ]
  %next = add i32 %i, %step
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %others
others:
  %j = phi i32 [ %n, %loop ], [ %after, %others ]
  %after = add i32 %j, 1
  %again = icmp slt i32 %after, %end
  br i1 %again, label %others, label %done
done:
  store i32 %after, ptr addrspace(1) %out
  ret void
}

; Nor floats, nor what is divided.
; CHECK-DAG: define spir_kernel void @others(ptr addrspace(1) %out, float %x, i32 %n) {
define spir_kernel void @others(ptr addrspace(1) %out, float %x, i32 %n) {
  %id = call i64 @clotho.local_id(i32 0)
  %lid = trunc i64 %id to i32
  %one = or i32 %lid, 1
  %part = udiv i32 %n, %one
  store i32 %part, ptr addrspace(1) %out
  ret void
}

; Nor integers of other sizes than those of OpenCL C.
; CHECK-DAG: define spir_kernel void @of_other_sizes(ptr addrspace(1) %out, i128 %n, i24 %m) {
define spir_kernel void @of_other_sizes(ptr addrspace(1) %out, i128 %n, i24 %m) {
entry:
  %most = zext i24 %m to i128
  br label %loop
loop:
  %k = phi i128 [ %most, %entry ], [ %next, %loop ]
  %next = add nsw i128 %k, 1
  %more = icmp slt i128 %next, %n
  br i1 %more, label %loop, label %end
end:
  store i128 %next, ptr addrspace(1) %out
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
