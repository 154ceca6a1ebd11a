; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=named-atomics %s | %check
; Atomic operations by generic pointers that were made of others take those.

@counters = internal addrspace(3) global [4 x i32] undef

; CHECK-LABEL: define void @names(
; CHECK: load atomic volatile i32, ptr addrspace(3) %local monotonic
; CHECK: store atomic volatile i32 %a, ptr addrspace(1) %global release
; CHECK: atomicrmw volatile add ptr addrspace(3) @counters, i32 1 seq_cst
; CHECK: cmpxchg weak volatile ptr addrspace(3) %local, i32 %a, i32 2 monotonic monotonic
; Whatever memory these are in:
; CHECK: atomicrmw volatile add ptr addrspace(4) %generic, i32 1 seq_cst
; CHECK: load volatile i32, ptr addrspace(4) %fromLocal
define void @names(ptr addrspace(3) %local, ptr addrspace(1) %global, ptr addrspace(4) %generic) {
  %fromLocal = addrspacecast ptr addrspace(3) %local to ptr addrspace(4)
  %fromGlobal = addrspacecast ptr addrspace(1) %global to ptr addrspace(4)
  %a = load atomic volatile i32, ptr addrspace(4) %fromLocal monotonic, align 4
  store atomic volatile i32 %a, ptr addrspace(4) %fromGlobal release, align 4
  %b = atomicrmw volatile add ptr addrspace(4) addrspacecast (ptr addrspace(3) @counters to ptr addrspace(4)), i32 1 seq_cst
  %c = cmpxchg weak volatile ptr addrspace(4) %fromLocal, i32 %a, i32 2 monotonic monotonic
  %d = atomicrmw volatile add ptr addrspace(4) %generic, i32 1 seq_cst
  %e = load volatile i32, ptr addrspace(4) %fromLocal
  ret void
}
