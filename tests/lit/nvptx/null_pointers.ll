; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt %s --passes=spell-out-constants | %check

; LLVM's printer refuses null pointers of another space.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: @one = addrspace(1) global ptr addrspace(1) null
@one = addrspace(1) global ptr addrspace(1) addrspacecast (ptr null to ptr addrspace(1))
; CHECK: @several = addrspace(1) global { i32, [2 x ptr addrspace(1)] } { i32 1, [2 x ptr addrspace(1)] [ptr addrspace(1) null, ptr addrspace(1) @one] }
@several = addrspace(1) global { i32, [2 x ptr addrspace(1)] } { i32 1, [2 x ptr addrspace(1)] [ptr addrspace(1) addrspacecast (ptr null to ptr addrspace(1)), ptr addrspace(1) @one] }
; CHECK: @generic = addrspace(1) global ptr addrspacecast (ptr addrspace(1) @one to ptr)
@generic = addrspace(1) global ptr addrspacecast (ptr addrspace(1) @one to ptr)
