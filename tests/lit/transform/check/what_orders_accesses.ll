; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=check-races %s | %check

; Atomic instructions that acquire, as those of `_Atomic` variables, may order what comes after them; relaxed ones do not.
; CHECK-LABEL: define spir_kernel void @acquires(
; CHECK: %[[GROUP:.*]] = or i1 true,
; CHECK: %[[OTHERS:.*]] = or i1 true,
; CHECK: call void @clotho.touch.write.global.1({{.*}}, i1 %[[GROUP]], i1 %[[OTHERS]],
; CHECK-LABEL: define spir_kernel void @relaxed(
; CHECK: call void @clotho.touch.atomic.global.1(
; CHECK: %[[GROUP:.*]] = or i1 false,
; CHECK: %[[OTHERS:.*]] = or i1 false,
; CHECK: call void @clotho.touch.write.global.1({{.*}}, i1 %[[GROUP]], i1 %[[OTHERS]],
define spir_kernel void @acquires(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 acq_rel
  store i32 %old, ptr addrspace(1) %b, align 4
  ret void
}
define spir_kernel void @relaxed(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic
  store i32 %old, ptr addrspace(1) %b, align 4
  ret void
}

; So may a barrier of some sub-groups, in the group.
; CHECK-LABEL: define spir_kernel void @named(
; CHECK: %[[GROUP:.*]] = or i1 true,
; CHECK: %[[OTHERS:.*]] = or i1 false,
; CHECK: call void @clotho.touch.write.global.1({{.*}}, i1 %[[GROUP]], i1 %[[OTHERS]],
declare spir_func void @__named_barrier_wait(ptr, i32)
define spir_kernel void @named(ptr addrspace(1) %a, ptr %barrier) {
  call spir_func void @__named_barrier_wait(ptr %barrier, i32 1)
  store i32 1, ptr addrspace(1) %a, align 4
  ret void
}

; Bytes of private memory do not make cells smaller. A copy of a struct has one for each part that is aligned.
; The device is told to which arguments the kernel writes: memory of others needs no cells.
; CHECK-LABEL: define spir_kernel void @granule(
; CHECK-SAME: !clotho.facts ![[FACTS:[0-9]+]]
; CHECK: call void @clotho.touch.read.global.4(
; CHECK: call void @clotho.touch.write.global.4(
; CHECK: ![[FACTS]] = !{{{.*}}!"check-granule", i32 4, !"check-written", i64 1{{.*}}}
define spir_kernel void @granule(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %i) {
  %bytes = alloca [8 x i8]
  %byte = getelementptr i8, ptr %bytes, i64 %i
  store volatile i8 1, ptr %byte, align 1
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 4 %a, ptr addrspace(1) align 4 %b, i64 16, i1 false)
  ret void
}
