; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=redundant-barriers %s | %check
; A work-group function's first barrier goes where none of its variables' accesses can reach it but through another.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

@slot = internal addrspace(3) global i32 poison
@result = internal addrspace(3) global i32 poison
@other = internal addrspace(3) global i32 poison

declare void @clotho.barrier() #0
declare void @clotho.yield() #0

; Once, or a second time with variables of its own.
; CHECK-LABEL: @once(
; CHECK-NEXT: store i32 %x, ptr addrspace(3) @slot
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: load i32, ptr addrspace(3) @slot
; CHECK-NEXT: store i32 %y, ptr addrspace(3) @other
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: load i32, ptr addrspace(3) @other
define spir_kernel void @once(i32 %x) {
  call void @clotho.barrier(), !clotho.guards !0
  store i32 %x, ptr addrspace(3) @slot
  call void @clotho.barrier()
  %y = load i32, ptr addrspace(3) @slot
  call void @clotho.barrier(), !clotho.guards !1
  store i32 %y, ptr addrspace(3) @other
  call void @clotho.barrier()
  %z = load i32, ptr addrspace(3) @other
  ret void
}

; Some still read when the next would write.
; CHECK-LABEL: @twice(
; CHECK-NEXT: store i32
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: load i32
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: store i32
define spir_kernel void @twice(i32 %x) {
  call void @clotho.barrier(), !clotho.guards !0
  store i32 %x, ptr addrspace(3) @slot
  call void @clotho.barrier()
  %y = load i32, ptr addrspace(3) @slot
  call void @clotho.barrier(), !clotho.guards !0
  store i32 %y, ptr addrspace(3) @slot
  call void @clotho.barrier()
  %z = load i32, ptr addrspace(3) @slot
  ret void
}

; Round the loop too; of two, one is enough.
; CHECK-LABEL: @loop(
; CHECK: loop:
; CHECK-NEXT: phi i32
; CHECK-NEXT: store i32 %x, ptr addrspace(3) @slot
; CHECK-NEXT: call void @clotho.barrier()
; CHECK-NEXT: store i32 %x, ptr addrspace(3) @other
; CHECK-NEXT: icmp
define spir_kernel void @loop(i32 %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @clotho.barrier(), !clotho.guards !0
  store i32 %x, ptr addrspace(3) @slot
  call void @clotho.barrier(), !clotho.guards !1
  store i32 %x, ptr addrspace(3) @other
  %more = icmp ult i32 %i, %n
  %next = add i32 %i, 1
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The last one stays: kernels without any are run in another way.
; CHECK-LABEL: @last(
; CHECK-NEXT: call void @clotho.barrier()
define spir_kernel void @last(i32 %x) {
  call void @clotho.barrier(), !clotho.guards !0
  store i32 %x, ptr addrspace(3) @slot
  ret void
}

; Sub-groups that wait in loops are at different positions.
; CHECK-LABEL: @waits(
; CHECK-NEXT: call void @clotho.barrier()
define spir_kernel void @waits(i32 %x) {
  call void @clotho.barrier(), !clotho.guards !0
  store i32 %x, ptr addrspace(3) @slot
  call void @clotho.yield()
  call void @clotho.barrier()
  ret void
}

attributes #0 = { convergent nounwind }

!0 = !{ptr addrspace(3) @slot, ptr addrspace(3) @result}
!1 = !{ptr addrspace(3) @other}
