; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: not %opt --passes=lower-enqueue %s 2>&1 | %check
; A block that is not known by name cannot be enqueued.

target triple = "spir64"

declare spir_func i32 @__enqueue_kernel_basic(i64, i32, ptr, ptr addrspace(4), ptr addrspace(4))

; CHECK: a block that is enqueued must be known when the program is built
define spir_kernel void @parent(i64 %queue, ptr %range, ptr addrspace(4) %block, ptr addrspace(4) %literal) {
  %1 = call spir_func i32 @__enqueue_kernel_basic(i64 %queue, i32 0, ptr %range, ptr addrspace(4) %block, ptr addrspace(4) %literal)
  ret void
}
