; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Masked accesses in a block that is run without a test of its mask are marked if ids decide which lanes are live.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier() #1

; CHECK-LABEL: define spir_kernel void @guarded(
; CHECK: call void @llvm.masked.store{{.*}}, !clotho.far
define spir_kernel void @guarded(ptr addrspace(1) %a, i64 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  call void @clotho.barrier()
  %isThere = icmp ult i64 %lid, %n
  br i1 %isThere, label %then, label %end

then:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  store i32 7, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

; The bits of a mask that data decide are no guess of a branch predictor.
; CHECK-LABEL: define spir_kernel void @by_data(
; CHECK: call void @llvm.masked.store
; CHECK-NOT: clotho.far
; CHECK: ret void
define spir_kernel void @by_data(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %isThere = icmp ugt i32 %x, 3
  br i1 %isThere, label %then, label %end

then:
  store i32 7, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

; Local memory is mapped, with margins.
; CHECK-LABEL: define spir_kernel void @local_memory(
; CHECK: call void @llvm.masked.store
; CHECK-NOT: clotho.far
; CHECK: ret void
define spir_kernel void @local_memory(ptr addrspace(3) %a, i64 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  call void @clotho.barrier()
  %isThere = icmp ult i64 %lid, %n
  br i1 %isThere, label %then, label %end

then:
  %p = getelementptr i32, ptr addrspace(3) %a, i64 %lid
  store i32 7, ptr addrspace(3) %p, align 4
  br label %end

end:
  ret void
}

attributes #0 = { nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
