; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=flatten-address-spaces %s | %check
; OpenCL's synchronisation scopes become the one that all threads see; opaque types become pointers.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK-LABEL: define ptr @f(ptr %p, ptr %event)
; CHECK: fence seq_cst{{$}}
; CHECK: atomicrmw add ptr %p, i32 1 monotonic, align 4
; CHECK: fence syncscope("singlethread") acquire
; CHECK: ret ptr %event
define spir_func target("spirv.Event") @f(ptr addrspace(1) %p, target("spirv.Event") %event) {
  fence syncscope("device") seq_cst
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("workgroup") monotonic
  fence syncscope("singlethread") acquire
  ret target("spirv.Event") %event
}

; What only the thread of a work-group sees needs no lock.
; CHECK-LABEL: define void @local(ptr %p)
; CHECK-NOT: atomicrmw
; CHECK-NOT: cmpxchg
; CHECK: ret void
define spir_func void @local(ptr addrspace(3) %p) {
  %old = atomicrmw volatile umax ptr addrspace(3) %p, i32 1 seq_cst
  %pair = cmpxchg ptr addrspace(3) %p, i32 %old, i32 2 seq_cst monotonic
  ret void
}
