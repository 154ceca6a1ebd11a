; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 %s -o - | %check
; LLVM 22 forgets order and scope of atomicrmw. If this test fails, LLVM keeps them, and most of OrderAtomicsPass
; (backend/nvptx/lower/order_atomics.hpp) can go.

; CHECK-NOT: fence
; CHECK: atom.global.add.u32
; CHECK-NOT: fence
define i32 @ordered(ptr addrspace(1) %p) {
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("block") seq_cst
  ret i32 %old
}
