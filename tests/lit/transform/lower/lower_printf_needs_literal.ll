; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: not %opt --passes=lower-printf %s 2>&1 | %check
; CHECK: the format of printf must be a string literal

declare spir_func i32 @printf(ptr addrspace(2), ...)

define spir_kernel void @k(ptr addrspace(2) %format) {
  %r = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) %format)
  ret void
}
