; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=vectorise-4 %s | %check
; Debuggers see a variable in memory as an array of what each lane has. So a structure is not interleaved by lane.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare i64 @clotho.local_id(i32) #0

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-DAG: %[[X:.*]] = alloca [1 x <4 x i32>], align 16
; CHECK-DAG: #dbg_declare(ptr %[[X]], ![[INTS:[0-9]+]], !DIExpression(), !
; CHECK-DAG: %[[S:.*]] = alloca [32 x i8], align 4
; CHECK-DAG: #dbg_declare(ptr %[[S]], ![[STRUCTS:[0-9]+]], !DIExpression(), !
; CHECK-DAG: ![[INTS]] = !DILocalVariable(name: "x", scope: !{{.*}}, line: 2, type: ![[INT4:[0-9]+]])
; CHECK-DAG: ![[INT4]] = !DICompositeType(tag: DW_TAG_array_type, baseType: !{{.*}}, size: 128, elements: ![[FOUR:[0-9]+]])
; CHECK-DAG: ![[FOUR]] = !{![[COUNT:[0-9]+]]}
; CHECK-DAG: ![[COUNT]] = !DISubrange(count: 4)
; CHECK-DAG: ![[STRUCTS]] = !DILocalVariable(name: "s", scope: !{{.*}}, line: 3, type: ![[STRUCT4:[0-9]+]])
; CHECK-DAG: ![[STRUCT4]] = !DICompositeType(tag: DW_TAG_array_type, baseType: !{{.*}}, size: 256, elements: ![[FOUR]])
define spir_kernel void @k(ptr addrspace(1) %a) !dbg !4 {
  %x = alloca i32, align 4, !dbg !10
  %s = alloca [2 x i32], align 4, !dbg !10
    #dbg_declare(ptr %x, !7, !DIExpression(), !10)
    #dbg_declare(ptr %s, !8, !DIExpression(), !10)
  %id = call i64 @clotho.local_id(i32 0), !dbg !10
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %id, !dbg !10
  %v = load i32, ptr addrspace(1) %p, align 4, !dbg !10
  store i32 %v, ptr %x, align 4, !dbg !10
  %second = getelementptr i32, ptr %s, i64 1, !dbg !10
  store i32 %v, ptr %second, align 4, !dbg !10
  %r = load i32, ptr %second, align 4, !dbg !10
  store i32 %r, ptr addrspace(1) %p, align 4, !dbg !10
  ret void, !dbg !10
}

attributes #0 = { nounwind memory(none) }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cl", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !3, unit: !0, retainedNodes: !9)
!5 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!6 = !DICompositeType(tag: DW_TAG_array_type, baseType: !5, size: 64, elements: !{!11})
!7 = !DILocalVariable(name: "x", scope: !4, file: !1, line: 2, type: !5)
!8 = !DILocalVariable(name: "s", scope: !4, file: !1, line: 3, type: !6)
!9 = !{!7, !8}
!10 = !DILocation(line: 2, scope: !4)
!11 = !DISubrange(count: 2)
