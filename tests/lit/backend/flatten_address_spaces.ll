; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=flatten-address-spaces %s | %check
; Pointers, variables, functions and intrinsics all move to address space 0, and casts between spaces go.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK: @table = constant [2 x i32] [i32 1, i32 2]
@table = addrspace(2) constant [2 x i32] [i32 1, i32 2]
; CHECK: @where = global ptr getelementptr (i8, ptr @table, i64 4)
@where = addrspace(1) global ptr addrspace(4) getelementptr (i8, ptr addrspace(4) addrspacecast (ptr addrspace(2) @table to ptr addrspace(4)), i64 4)

declare void @llvm.memcpy.p3.p1.i64(ptr addrspace(3), ptr addrspace(1), i64, i1)

; CHECK-LABEL: define i32 @f(ptr %g, ptr %l)
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr %l, ptr %g, i64 16, i1 false)
; CHECK-NEXT: %p = getelementptr i32, ptr %g, i64 1
; CHECK-NEXT: %same = icmp eq ptr %p, @table
; CHECK-NEXT: %q = select i1 %same, ptr %p, ptr null
; CHECK-NEXT: %v = call i32 @f(ptr %q, ptr %l)
; CHECK-NEXT: ret i32 %v
define spir_func i32 @f(ptr addrspace(1) %g, ptr addrspace(3) %l) {
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) %l, ptr addrspace(1) %g, i64 16, i1 false)
  %p = getelementptr i32, ptr addrspace(1) %g, i64 1
  %generic = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  %same = icmp eq ptr addrspace(4) %generic, addrspacecast (ptr addrspace(2) @table to ptr addrspace(4))
  %q = select i1 %same, ptr addrspace(1) %p, ptr addrspace(1) null
  %v = call spir_func i32 @f(ptr addrspace(1) %q, ptr addrspace(3) %l)
  ret i32 %v
}

; Clang's spaces for global memory of the device and of the host are global memory.
; CHECK-LABEL: define void @spaces(ptr %device, ptr %host)
; CHECK-NEXT: %v = load i32, ptr %device, align 4
; CHECK-NEXT: store i32 %v, ptr %host, align 4
define spir_func void @spaces(ptr addrspace(5) %device, ptr addrspace(6) %host) {
  %v = load i32, ptr addrspace(5) %device
  store i32 %v, ptr addrspace(6) %host
  ret void
}

; The block of a cast may come before the block of its operand.
; CHECK-LABEL: define i32 @earlier(ptr %g, i1 %c)
; CHECK-NOT: addrspacecast
; CHECK: %v = load i32, ptr %p, align 4
define spir_func i32 @earlier(ptr addrspace(1) %g, i1 %c) {
entry:
  br label %later

cast:
  %generic = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  %v = load i32, ptr addrspace(4) %generic
  ret i32 %v

later:
  %p = getelementptr i32, ptr addrspace(1) %g, i64 1
  br label %cast
}
