; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=delinearise,instcombine,dce %s | %check
; Launches in one dimension whose kernel divides its id become launches of rows.

declare i64 @clotho.global_id(i32) #0
declare i64 @clotho.global_size(i32) #0
declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @by_argument(
; CHECK-SAME: !clotho.facts [[COUNTED:![0-9]+]]
; CHECK-DAG: [[X:%.*]] = call range(i64 0, 2147483648) i64 @clotho.global_id(i32 0)
; CHECK-DAG: [[Y:%.*]] = call range(i64 0, 2147483648) i64 @clotho.global_id(i32 1)
; CHECK-NOT: {{div|rem|icmp}}
; CHECK: [[ROW:%.*]] = getelementptr {{.*}}, ptr addrspace(1) %p, i64 [[Y]]
; CHECK: store i32 {{.*}}, ptr addrspace(1) [[ROW]]
; CHECK: ret void
define spir_kernel void @by_argument(ptr addrspace(1) %p, i32 %w) !clotho.rows !1 {
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  %zero = icmp eq i32 %w, 0
  %least = icmp eq i32 %i, -2147483648
  %minus = icmp eq i32 %w, -1
  %overflow = and i1 %least, %minus
  %traps = or i1 %zero, %overflow
  %divisor = select i1 %traps, i32 1, i32 %w
  %column = srem i32 %i, %divisor
  %row = sdiv i32 %i, %divisor
  %wide = sext i32 %row to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %wide
  store i32 %column, ptr addrspace(1) %q
  ret void
}

; What is asked for is known without launches that have rows.
; CHECK-LABEL: define spir_kernel void @unknown(
; CHECK-SAME: !clotho.facts [[FOUND:![0-9]+]]
; CHECK-NOT: global_id(i32 1)
; CHECK: urem i64
define spir_kernel void @unknown(ptr addrspace(1) %p, i64 %w) {
  %id = call i64 @clotho.global_id(i32 0)
  %divisor = call i64 @llvm.umax.i64(i64 %w, i64 1)
  %column = urem i64 %id, %divisor
  %q = getelementptr inbounds i64, ptr addrspace(1) %p, i64 %column
  store i64 %id, ptr addrspace(1) %q
  ret void
}

; Bits of a power of two. The last row may lack work-items; dimension 2 says how many there are in all.
; CHECK-LABEL: define spir_kernel void @by_bits(
; CHECK-SAME: !clotho.facts [[BITS:![0-9]+]]
; CHECK-DAG: [[X:%.*]] = call range(i64 0, 2147483648) i64 @clotho.global_id(i32 0)
; CHECK-DAG: [[SIZE:%.*]] = call range(i64 0, 2147483648) i64 @clotho.global_size(i32 2)
; CHECK-DAG: [[BEFORE:%.*]] = shl nuw nsw i64 %{{.*}}, 10
; CHECK-DAG: [[ID:%.*]] = add nuw nsw i64 [[BEFORE]], [[X]]
; CHECK: [[LAST:%.*]] = icmp samesign ult i64 [[ID]], [[SIZE]]
; CHECK: br i1 [[LAST]]
; CHECK: add nuw nsw i64 [[SIZE]],
; CHECK: getelementptr {{.*}}, ptr addrspace(1) %p, i64 [[X]]
define spir_kernel void @by_bits(ptr addrspace(1) %p) !clotho.rows !0 {
  %id = call i64 @clotho.global_id(i32 0)
  %size = call i64 @clotho.global_size(i32 0)
  %column = and i64 %id, 1023
  %row = lshr i64 %id, 10
  %sum = add i64 %size, %row
  %q = getelementptr inbounds i64, ptr addrspace(1) %p, i64 %column
  store i64 %sum, ptr addrspace(1) %q
  ret void
}

; The program's own choice between divisors is none that a launch could be asked about.
; CHECK-LABEL: define spir_kernel void @chosen(ptr addrspace(1) %p, i32 %w, i1 %flag) !clotho.rows
; CHECK: urem
define spir_kernel void @chosen(ptr addrspace(1) %p, i32 %w, i1 %flag) !clotho.rows !1 {
  %id = call i64 @clotho.global_id(i32 0)
  %i = trunc i64 %id to i32
  %least = call i32 @llvm.umax.i32(i32 %w, i32 1)
  %divisor = select i1 %flag, i32 1, i32 %least
  %column = urem i32 %i, %divisor
  store i32 %column, ptr addrspace(1) %p
  ret void
}

; Who knows its group can tell how the launch is divided.
; CHECK-LABEL: define spir_kernel void @local(ptr addrspace(1) %p, i64 %w) !clotho.rows
; CHECK: urem
define spir_kernel void @local(ptr addrspace(1) %p, i64 %w) !clotho.rows !1 {
  %id = call i64 @clotho.global_id(i32 0)
  %l = call i64 @clotho.local_id(i32 0)
  %divisor = call i64 @llvm.umax.i64(i64 %w, i64 1)
  %column = urem i64 %id, %divisor
  %sum = add i64 %column, %l
  store i64 %sum, ptr addrspace(1) %p
  ret void
}

; CHECK-DAG: [[COUNTED]] = !{!"row-argument", i32 1, !"counts-rows", i1 true, !"whole-rows", i1 true}
; CHECK-DAG: [[FOUND]] = !{!"row-argument", i32 1}
; CHECK-DAG: [[BITS]] = !{!"row-length", i32 1024, !"counts-rows", i1 true}

declare i32 @llvm.umax.i32(i32, i32)
declare i64 @llvm.umax.i64(i64, i64)

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(none) }

!0 = !{i1 false}
!1 = !{i1 true}
