; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=check-memory %s | %check

; An access is compared with the size that the launch passes; one outside is made by a function that reports.
; CHECK-LABEL: define spir_kernel void @k(
; CHECK: %[[LAUNCH:.*]] = call ptr @clotho.checks()
; CHECK: %[[BEFORE:.*]] = load i64, ptr {{.*}}, !invariant.load
; CHECK: %[[SIZE:.*]] = load i64, ptr {{.*}}, !invariant.load
; CHECK: %[[OFFSET:.*]] = add i64 %[[BEFORE]], %{{.*}}
; CHECK: %[[ROOM:.*]] = call i64 @llvm.usub.sat.i64(i64 %[[SIZE]], i64 3)
; CHECK: %[[BAD:.*]] = icmp uge i64 %[[OFFSET]], %[[ROOM]]
; CHECK: br i1 %[[BAD]], label %[[FAILED:.*]], label %[[PASSED:[0-9]+]], {{.*}}!prof
; CHECK: call float @clotho.check.access(i1 %[[BAD]], {{.*}}i64 %[[OFFSET]], i64 %[[SIZE]],
; CHECK: [[PASSED]]:
; CHECK: load float, ptr addrspace(1) %p
define spir_kernel void @k(ptr addrspace(1) %a, i64 %i) {
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  store volatile float %x, ptr addrspace(1) %p, align 4
  ret void
}

; Constant offsets into variables are compared by the compiler: a good one needs no check.
; CHECK-LABEL: define spir_kernel void @constant(
; CHECK-NOT: clotho.check.
; CHECK: ret void
@constant.t = internal addrspace(3) global [4 x i32] undef
define spir_kernel void @constant() {
  store volatile i32 1, ptr addrspace(3) getelementptr inbounds ([4 x i32], ptr addrspace(3) @constant.t, i64 0, i64 3), align 4
  ret void
}
