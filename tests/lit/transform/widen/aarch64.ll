; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --for-cpu=neoverse-n1 --passes='vectorise,flatten-address-spaces,function(blend-stores)' %s | %check
; RUN: %opt --for-cpu=neoverse-n1 --passes='vectorise,flatten-address-spaces,function(blend-stores)' %s \
; RUN:   | llc -mcpu=neoverse-n1 | %check --check-prefix=ASM
; Processors of other kinds have a row in the model, too: vectors of 128 bits and no masked stores.

; CHECK-LABEL: define void @sums(
; CHECK: load <4 x float>
; CHECK: store <4 x float>
; CHECK: call void @clotho.barrier()
; CHECK: [[BEFORE:%.*]] = load <4 x float>
; CHECK: [[BLEND:%.*]] = select <4 x i1> {{.*}}, <4 x float> [[BEFORE]]
; CHECK: store <4 x float> [[BLEND]]
; CHECK-NOT: call {{.*}}masked.store
; CHECK: ret void

; ASM-LABEL: sums:
; ASM: ldr q
; ASM: str q
; ASM: cmgt v{{[0-9]+}}.4s
; ASM: {{bsl|bit|bif}} v{{[0-9]+}}.16b
; ASM: str q

target triple = "aarch64-linux-gnu"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier()

define spir_kernel void @sums(ptr addrspace(1) %in, ptr addrspace(3) %t, i32 %n) {
  %l = call i64 @clotho.local_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %in, i64 %l
  %v = load float, ptr addrspace(1) %p
  %q = getelementptr float, ptr addrspace(3) %t, i64 %l
  store float %v, ptr addrspace(3) %q
  call void @clotho.barrier()
  %l32 = trunc i64 %l to i32
  %is = icmp slt i32 %l32, %n
  br i1 %is, label %some, label %end
some:
  store float 1.0, ptr addrspace(3) %q
  br label %end
end:
  ret void
}
attributes #0 = { nounwind speculatable willreturn memory(none) }
