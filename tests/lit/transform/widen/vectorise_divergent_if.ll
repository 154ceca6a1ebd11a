; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Lanes that take different ways take both, under masks. A block that costs little runs even if it has no lane; one that
; costs more is skipped then.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @cheap(
; CHECK: %[[C:.*]] = icmp slt <4 x i32>
; CHECK-NOT: br i1
; CHECK: then:
; CHECK-NEXT: masked.store.v4i32{{.*}}<4 x i1> %[[C]])
; CHECK-NEXT: br label
; CHECK-NOT: then.skip
; CHECK-LABEL: define internal spir_func void @cheap.predicated(
define spir_kernel void @cheap(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %c = icmp slt i32 %x, 0
  br i1 %c, label %then, label %end

then:
  store i32 0, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @expensive(
; CHECK: %[[C:.*]] = icmp slt <4 x i32>
; CHECK: %[[BITS:.*]] = bitcast <4 x i1> %[[C]] to i4
; CHECK: %[[ANY:.*]] = icmp ne i4 %[[BITS]], 0
; CHECK: br i1 %[[ANY]], label %then, label %then.skip
; CHECK: then:
; CHECK: call <4 x i32> @llvm.masked.gather{{.*}}<4 x i1> %[[C]]
; CHECK: call void @llvm.masked.store{{.*}}<4 x i1> %[[C]]
; CHECK-LABEL: define internal spir_func void @expensive.predicated(
define spir_kernel void @expensive(ptr addrspace(1) %a, ptr addrspace(1) %t) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %c = icmp slt i32 %x, 0
  br i1 %c, label %then, label %end

then:
  %tp = getelementptr i32, ptr addrspace(1) %t, i32 %x
  %y = load i32, ptr addrspace(1) %tp, align 4
  store i32 %y, ptr addrspace(1) %p, align 4
  br label %end

end:
  ret void
}

; Each lane takes its own of two values.
; CHECK-LABEL: define spir_kernel void @both(
; CHECK: %[[C:.*]] = icmp slt <4 x i32> %[[X:.*]], zeroinitializer
; CHECK: %[[THEN:.*]] = add <4 x i32> %[[X]], splat (i32 7)
; CHECK: select <4 x i1> %{{.*}}, <4 x i32>
; CHECK: store <4 x i32>
; CHECK-LABEL: define internal spir_func void @both.predicated(
define spir_kernel void @both(ptr addrspace(1) %a) {
  %lid = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %lid
  %x = load i32, ptr addrspace(1) %p, align 4
  %c = icmp slt i32 %x, 0
  br i1 %c, label %then, label %else

then:
  %y = add i32 %x, 7
  br label %end

else:
  %z = mul i32 %x, 5
  br label %end

end:
  %r = phi i32 [ %y, %then ], [ %z, %else ]
  store i32 %r, ptr addrspace(1) %p, align 4
  ret void
}

attributes #0 = { nounwind willreturn speculatable memory(none) }
