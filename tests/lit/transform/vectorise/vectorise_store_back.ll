; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --for-cpu=znver3 --passes=vectorise %s | %check
; Loads of whole vectors are marked where work-items may store back what they have loaded: while nobody can tell.

target triple = "x86_64-linux-gnu"

declare i64 @clotho.local_id(i32) #0
declare void @clotho.barrier()

; CHECK-LABEL: define spir_kernel void @alone(
; CHECK: load <8 x i32>, ptr addrspace(1) %{{.*}}, !clotho.may_store_back
define spir_kernel void @alone(ptr addrspace(1) %a) {
  %l = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %l
  %v = load i32, ptr addrspace(1) %p
  %is = icmp sgt i32 %v, 7
  br i1 %is, label %some, label %end
some:
  store i32 7, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; Behind a barrier another work-item of the group may write there.
; CHECK-LABEL: define spir_kernel void @barrier(
; CHECK-NOT: may_store_back
define spir_kernel void @barrier(ptr addrspace(1) %a) {
  %l = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %l
  %v = load i32, ptr addrspace(1) %p
  call void @clotho.barrier()
  %is = icmp sgt i32 %v, 7
  br i1 %is, label %some, label %end
some:
  store i32 7, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; Behind a release anybody.
; CHECK-LABEL: define spir_kernel void @release(
; CHECK-NOT: may_store_back
define spir_kernel void @release(ptr addrspace(1) %a, ptr addrspace(1) %flag) {
  %l = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %l
  %v = load i32, ptr addrspace(1) %p
  store atomic i32 1, ptr addrspace(1) %flag release, align 4
  %is = icmp sgt i32 %v, 7
  br i1 %is, label %some, label %end
some:
  store i32 7, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; Programs that store where data says are thought to count on races.
; CHECK-LABEL: define spir_kernel void @scatter(
; CHECK-NOT: may_store_back
define spir_kernel void @scatter(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %l = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %l
  %v = load i32, ptr addrspace(1) %p
  %is = icmp sgt i32 %v, 7
  br i1 %is, label %some, label %end
some:
  store i32 7, ptr addrspace(1) %p
  %i = zext i32 %v to i64
  %q = getelementptr i32, ptr addrspace(1) %b, i64 %i
  store i32 1, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; What only some lanes load is not marked.
; CHECK-LABEL: define spir_kernel void @some(
; CHECK: call <8 x i32> @llvm.masked.load
; CHECK-NOT: may_store_back
define spir_kernel void @some(ptr addrspace(1) %a, i32 %n) {
  %l = call i64 @clotho.local_id(i32 0)
  %l32 = trunc i64 %l to i32
  %odd = and i32 %l32, 1
  %is = icmp eq i32 %odd, 0
  br i1 %is, label %some, label %end
some:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %l
  %v = load i32, ptr addrspace(1) %p
  %more = add i32 %v, %n
  store i32 %more, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

attributes #0 = { memory(none) }
