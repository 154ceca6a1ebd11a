; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Rows of short vectors behind a comparison of places are loaded without a mask where all live lanes come to them.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: define spir_kernel void @vectors(
; CHECK: [[BITS:%.*]] = bitcast <4 x i1> {{.*}} to i4
; CHECK: [[AGREE:%.*]] = icmp eq i4 [[BITS]], -1
; CHECK: br i1 [[AGREE]], label %
; CHECK: then:
; CHECK: call <16 x float> @llvm.masked.load
; CHECK: then.uniform:
; CHECK: load <16 x float>, ptr addrspace(1) %at.uniform
; CHECK-LABEL: define internal spir_func void @vectors.predicated(
define spir_kernel void @vectors(ptr addrspace(1) %a, i64 %n) {
entry:
  %l = call i64 @clotho.local_id(i32 0)
  call void @clotho.barrier()
  %from = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %l
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %end ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %after, %end ]
  %place = add i64 %l, %i
  %inside = icmp ult i64 %place, %n
  br i1 %inside, label %then, label %end
then:
  %at = getelementptr <4 x float>, ptr addrspace(1) %from, i64 %i
  %value = load <4 x float>, ptr addrspace(1) %at, align 16
  %more = fadd <4 x float> %sum, %value
  br label %end
end:
  %after = phi <4 x float> [ %sum, %loop ], [ %more, %then ]
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, 9
  br i1 %ends, label %out, label %loop
out:
  store <4 x float> %after, ptr addrspace(1) %from, align 16
  ret void
}

; It is not known whether neighbours agree on numbers from memory.
; CHECK-LABEL: define spir_kernel void @data(
; CHECK-NOT: uniform
; CHECK-LABEL: define internal spir_func void @data.predicated(
define spir_kernel void @data(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {
entry:
  %l = call i64 @clotho.local_id(i32 0)
  call void @clotho.barrier()
  %from = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %l
  %key = getelementptr i32, ptr addrspace(1) %b, i64 %l
  %number = load i32, ptr addrspace(1) %key, align 4
  %is = icmp ult i32 %number, %n
  br i1 %is, label %then, label %end
then:
  %value = load <4 x float>, ptr addrspace(1) %from, align 16
  %more = fadd <4 x float> %value, %value
  br label %end
end:
  %after = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %then ]
  store <4 x float> %after, ptr addrspace(1) %from, align 16
  ret void
}

; Results of the block are used in the next one, which has no other predecessor.
; CHECK-LABEL: define spir_kernel void @next(
; CHECK-NOT: uniform
; CHECK-LABEL: define internal spir_func void @next.predicated(
define spir_kernel void @next(ptr addrspace(1) %a, i64 %n) {
entry:
  %l = call i64 @clotho.local_id(i32 0)
  call void @clotho.barrier()
  %from = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %l
  %inside = icmp ult i64 %l, %n
  br i1 %inside, label %then, label %end
then:
  %value = load <4 x float>, ptr addrspace(1) %from, align 16
  br label %then2
then2:
  %more = fadd <4 x float> %value, splat (float 1.0)
  store <4 x float> %more, ptr addrspace(1) %from, align 16
  br label %end
end:
  ret void
}

; Places of 32 bits stay consecutive in the copy: what the branch said of them the reduction says.
; CHECK-LABEL: define spir_kernel void @narrow(
; CHECK: then.uniform:
; CHECK: load <16 x float>, ptr addrspace(1)
; CHECK-NOT: gather
; CHECK-LABEL: define internal spir_func void @narrow.predicated(
define spir_kernel void @narrow(ptr addrspace(1) %a, i32 %n, i32 %first) {
entry:
  %l = call i64 @clotho.local_id(i32 0)
  call void @clotho.barrier()
  %id = trunc i64 %l to i32
  %place = add nsw i32 %id, %first
  %to = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %l
  %inside = icmp slt i32 %place, %n
  br i1 %inside, label %then, label %end
then:
  %wide = sext i32 %place to i64
  %from = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %wide
  %value = load <4 x float>, ptr addrspace(1) %from, align 16
  %number = sitofp i64 %wide to float
  %element = insertelement <4 x float> %value, float %number, i32 0
  br label %end
end:
  %after = phi <4 x float> [ zeroinitializer, %entry ], [ %element, %then ]
  store <4 x float> %after, ptr addrspace(1) %to, align 16
  ret void
}

attributes #0 = { nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
