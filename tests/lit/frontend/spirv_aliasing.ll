; Scopes of aliasing are LLVM's, but not in kernels with barriers: behind one, other work-items' stores are seen. Nor are
; they in loops: each round has scopes of its own.
; RUN: %compile %spirv/aliasing.spv --emit portable -o - | %check
; CHECK-LABEL: define internal spir_func void @0(
; CHECK: load i32{{.*}} !noalias ![[OTHERS:[0-9]+]]
; CHECK: store i32{{.*}} !alias.scope ![[OWN:[0-9]+]], !noalias ![[OTHERS]]
; CHECK-LABEL: define internal spir_func void @1(
; CHECK-NOT: !alias.scope
; CHECK-NOT: !noalias
; CHECK: ret void
; CHECK-LABEL: define internal spir_func void @2(
; CHECK-NOT: !alias.scope
; CHECK-NOT: !noalias
; CHECK: ret void
; CHECK-DAG: ![[OWN]] = !{![[S1:[0-9]+]]}
; CHECK-DAG: ![[OTHERS]] = !{![[S2:[0-9]+]]}
; CHECK-DAG: ![[S1]] = distinct !{![[S1]], ![[D:[0-9]+]]}
; CHECK-DAG: ![[S2]] = distinct !{![[S2]], ![[D]]}
