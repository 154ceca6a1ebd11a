; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A branch that all lanes take together stays one, also where only some lanes are.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[C:.*]] = icmp slt <4 x i32>
; CHECK: br i1 %{{.*}}, label %some, label %some.skip
; CHECK: some:
; CHECK: %[[U:.*]] = icmp eq i32 %n, 1
; CHECK: br i1 %[[U]], label %[[THEN:.*]], label %[[ELSE:.*]]
; CHECK: masked.store{{.*}}<4 x i1> %[[C]]
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %a, i32 %n) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %c = icmp slt i32 %x, 0
  br i1 %c, label %some, label %end

some:
  %u = icmp eq i32 %n, 1
  br i1 %u, label %one, label %other

one:
  store i32 1, ptr addrspace(1) %p, align 4
  br label %end

other:
  store i32 2, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
