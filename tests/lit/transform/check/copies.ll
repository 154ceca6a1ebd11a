; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=check-memory %s | %check

declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare i32 @__read_pipe_2(ptr addrspace(1), ptr addrspace(4), i32, i32)

; A copy is a read and a write of as many bytes as there are at run time.
; CHECK-LABEL: define spir_kernel void @copy(
; CHECK: icmp ugt i64 %{{.*}}, %{{.*}}
; CHECK: icmp ugt i64 %{{.*}}, %{{.*}}
; CHECK: call void @clotho.check.report(
; CHECK: call void @clotho.check.report(
; CHECK: call void @llvm.memcpy
define spir_kernel void @copy(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 %n) {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 %n, i1 false)
  ret void
}

; A packet is written where it is read to.
; CHECK-LABEL: define spir_kernel void @packet(
; CHECK: call i64 @llvm.usub.sat.i64(i64 %{{.*}}, i64 7)
; CHECK: call i32 @clotho.check.access(
; CHECK: call i32 @__read_pipe_2(
define spir_kernel void @packet(ptr addrspace(1) %pipe, ptr addrspace(1) %to) {
  %data = addrspacecast ptr addrspace(1) %to to ptr addrspace(4)
  %status = call i32 @__read_pipe_2(ptr addrspace(1) %pipe, ptr addrspace(4) %data, i32 8, i32 4)
  store volatile i32 %status, ptr addrspace(1) %to, align 1
  ret void
}

; The times of an event are two numbers of 64 bits.
; CHECK-LABEL: define spir_kernel void @times(
; CHECK: call i64 @llvm.usub.sat.i64(i64 %{{.*}}, i64 15)
; CHECK: call void @clotho.check.access{{.*}}(
; CHECK: call void @_Z28capture_event_profiling_info12ocl_clkeventiPU3AS1v(
declare void @_Z28capture_event_profiling_info12ocl_clkeventiPU3AS1v(i64, i32, ptr addrspace(1))
define spir_kernel void @times(i64 %event, ptr addrspace(1) %to) {
  call void @_Z28capture_event_profiling_info12ocl_clkeventiPU3AS1v(i64 %event, i32 1, ptr addrspace(1) %to)
  ret void
}
