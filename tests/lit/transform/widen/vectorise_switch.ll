; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; A switch over what lanes differ in becomes comparisons, each of which is one of masks.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NOT: switch
; CHECK: icmp {{.*}} <4 x i32>
; CHECK-NOT: switch
; CHECK: select <4 x i1>
; CHECK: store <4 x i32>
; CHECK-NOT: switch
; CHECK-LABEL: define internal spir_func void @k.predicated(
define spir_kernel void @k(ptr addrspace(1) %a) {
entry:
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  switch i32 %x, label %end [ i32 1, label %one
                              i32 5, label %five
                              i32 9, label %one ]

one:
  %y = mul i32 %x, 10
  br label %end

five:
  %z = add i32 %x, 100
  br label %end

end:
  %r = phi i32 [ %x, %entry ], [ %y, %one ], [ %z, %five ]
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
