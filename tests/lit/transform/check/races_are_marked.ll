; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=check-races %s | %check
; RUN: %opt --passes='check-races,function(expand-touches)' %s | %check --check-prefix=EXPANDED

; Marks say what the access does, where, and for how many cells: one for each 4 bytes here.
; CHECK-LABEL: define spir_kernel void @k(
; CHECK: call void @clotho.touch.read.global.1(
; CHECK: load float
; CHECK: call void @clotho.touch.write.global.4(
; CHECK: store <4 x float>
; The update of a cell is a load and a store, and for writes another load that finds what other lanes have stored.
; EXPANDED-LABEL: define spir_kernel void @k(
; EXPANDED-NOT: clotho.touch
; EXPANDED: load i64, ptr addrspace(1) %[[CELL:.*]], align 8
; EXPANDED: store i64 {{.*}}, ptr addrspace(1) %[[CELL]], align 8
; EXPANDED: call void @clotho.check.report(
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %i) {
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds <4 x float>, ptr addrspace(1) %b, i64 %i
  %v = insertelement <4 x float> zeroinitializer, float %x, i64 0
  store <4 x float> %v, ptr addrspace(1) %q, align 16
  ret void
}
