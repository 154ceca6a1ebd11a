; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; RUN: %opt --passes=vectorise-4 %s | llvm-as | llvm-dis | %check
; RUN: %opt --passes="vectorise-4,function(isolate-barriers),work-group-function" %s | FileCheck --check-prefix=RANGE %s
; What is known of a kernel is one node of metadata. Variants have a copy of it, which says what they are; so have
; functions that are only declared. Bitcode keeps it. In the end the function that runs a range of work-groups knows of
; which variants it is made. Keys and values of unknown kinds do no harm.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-DAG: declare !clotho.facts ![[FALLBACK:[0-9]+]] void @k.fallback(
; CHECK-DAG: define spir_kernel void @k({{.*}}) !clotho.facts ![[KERNEL:[0-9]+]] {
; CHECK-DAG: define internal spir_func void @k.predicated({{.*}}) !clotho.facts ![[PREDICATED:[0-9]+]] {
; CHECK-DAG: ![[FALLBACK]] = !{!"variant", !"fallback"}
; CHECK-DAG: ![[KERNEL]] = !{!"no-forward-progress", i1 true, !"merged-row", i32 256, !"width", i32 4}
; CHECK-DAG: ![[PREDICATED]] = !{!"variant", !"predicated", !"no-forward-progress", i1 true, !"merged-row", i32 256, !"width", i32 4, !"seldom", i1 true}
; RANGE: define {{.*}}void @clotho_wg_k({{.*}}) {{.*}}!clotho.facts ![[FACTS:[0-9]+]] {
; RANGE: ![[FACTS]] = !{!"no-forward-progress", i1 true, !"merged-row", i32 256, !"width", i32 4, !"kernel", !"k", !"variants", !"predicated", !"local-bytes", i64 0,
define spir_kernel void @k(ptr addrspace(1) %a) !clotho.facts !0 {
  %id = call i64 @clotho.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id
  store i32 1, ptr addrspace(1) %p
  ret void
}

attributes #0 = { nounwind willreturn memory(none) }

!0 = !{!"no-forward-progress", i1 true, !"merged-row", i32 256, !"width", !"wide", !"rows", i64 4294967296, !"variant", i32 3, !"unknown", null, i32 7}
