; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A short block runs without a test of its mask only if it does nothing where no lane is live.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

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
