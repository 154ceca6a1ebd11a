; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A short block runs without a test of its mask only if it does nothing where no lane is live.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; All lanes would access the same row of the array, which there need not be.
; CHECK-LABEL: define spir_kernel void @row_of_array(
; CHECK: %[[SOME:.*]] = freeze i32 %{{.*}}
; CHECK: %[[ROW:.*]] = call i32 @llvm.umin.i32(i32 %[[SOME]], i32 15)
; CHECK: %[[AT:.*]] = getelementptr <4 x i32>, ptr %array, i32 %[[ROW]]
; CHECK: load <4 x i32>, ptr %[[AT]], align 16
; CHECK: %[[ROW:.*]] = call i32 @llvm.umin.i32(
; CHECK: %[[AT:.*]] = getelementptr <4 x i32>, ptr %array, i32 %[[ROW]]
; CHECK: %[[OLD:.*]] = load <4 x i32>, ptr %[[AT]], align 16
; CHECK: %[[NEW:.*]] = select <4 x i1> %{{.*}}, <4 x i32> %{{.*}}, <4 x i32> %[[OLD]]
; CHECK: store <4 x i32> %[[NEW]], ptr %[[AT]], align 16
define spir_kernel void @row_of_array(ptr addrspace(1) %a, i32 %top) {
  %array = alloca [16 x i32], align 4
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %i = and i32 %x, 15
  %here = getelementptr [16 x i32], ptr %array, i64 0, i32 %i
  store i32 %x, ptr %here, align 4
  %isPositive = icmp sgt i32 %x, 0
  %isThere = icmp ult i32 %top, 16
  %both = and i1 %isPositive, %isThere
  br i1 %both, label %then, label %end

then:
  %there = getelementptr [16 x i32], ptr %array, i64 0, i32 %top
  %y = load i32, ptr %there, align 4
  %next = add i32 %top, 1
  %beside = getelementptr [16 x i32], ptr %array, i64 0, i32 %next
  store i32 %x, ptr %beside, align 4
  br label %end

end:
  %sum = phi i32 [ %y, %then ], [ 0, %0 ]
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

; A place that no array of sixteen has, behind a condition that never holds.
; CHECK-LABEL: define spir_kernel void @no_such_row(
; CHECK: getelementptr <4 x i32>, ptr %array, i32 0
; CHECK-NOT: getelementptr <4 x i32>, ptr %array, i32 {{[1-9]}}
; CHECK: ret void
define spir_kernel void @no_such_row(ptr addrspace(1) %a, i32 %n) {
  %array = alloca [16 x i32], align 4
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %i = and i32 %x, 15
  %here = getelementptr [16 x i32], ptr %array, i64 0, i32 %i
  store i32 %x, ptr %here, align 4
  %isPositive = icmp sgt i32 %x, 0
  %isThere = icmp ugt i32 %n, 16
  %both = and i1 %isPositive, %isThere
  br i1 %both, label %then, label %end

then:
  %there = getelementptr [16 x i32], ptr %array, i64 0, i32 16
  %y = load i32, ptr %there, align 4
  br label %end

end:
  %sum = phi i32 [ %y, %then ], [ 0, %0 ]
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}

; A lane that is not live takes the address of one that is, which is why there must be one.
; CHECK-LABEL: define spir_kernel void @far_vectors(
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %[[MASK:.*]] to i4
; CHECK: %[[ANY:.*]] = icmp ne i4 %[[BITS]], 0
; CHECK: br i1 %[[ANY]], label %then, label
; CHECK: {{^}}then:
; CHECK: %[[LIVE:.*]] = call i4 @llvm.cttz.i4(
; CHECK: load <4 x float>, ptr addrspace(1) %
define spir_kernel void @far_vectors(ptr addrspace(1) %a, ptr addrspace(1) %out, i64 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr [4 x <4 x float>], ptr addrspace(1) %a, i64 %lid
  %isThere = icmp ult i64 %lid, %n
  br i1 %isThere, label %then, label %end

then:
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  br label %end

end:
  %value = phi <4 x float> [ %v, %then ], [ zeroinitializer, %0 ]
  call void @clotho.barrier()
  %at = getelementptr <4 x float>, ptr addrspace(1) %out, i64 %lid
  store <4 x float> %value, ptr addrspace(1) %at, align 16
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
attributes #1 = { nounwind convergent }
