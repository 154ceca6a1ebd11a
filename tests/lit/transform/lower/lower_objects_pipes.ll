; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-objects %s | %check
; A pipe becomes a pointer to its block and a reservation id a number: in arguments, results, arrays, structures and
; local variables.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

; CHECK: %[[PAIR:struct.Pair.*]] = type { i64, i32 }
%struct.Pair = type { target("spirv.ReserveId"), i32 }

; CHECK: @k.id = internal addrspace(3) global i64 undef, align 8
@k.id = internal addrspace(3) global target("spirv.ReserveId") undef, align 8

declare spir_func target("spirv.ReserveId") @__reserve_read_pipe(target("spirv.Pipe", 0), i32, i32, i32)
declare spir_func void @__commit_read_pipe(target("spirv.Pipe", 0), target("spirv.ReserveId"), i32, i32)

; SPIR-V makes pipes of the program's storage: the address of it.
@storage = internal addrspace(1) global [512 x i8] zeroinitializer, align 128
declare spir_func target("spirv.Pipe", 0) @__clotho_pipe_ro(ptr addrspace(1))
declare spir_func target("spirv.Pipe", 1) @__clotho_pipe_wo(ptr addrspace(1))
declare spir_func i32 @__get_pipe_max_packets_ro(target("spirv.Pipe", 0), i32, i32)
declare spir_func i32 @__get_pipe_max_packets_wo(target("spirv.Pipe", 1), i32, i32)

; CHECK-NOT: @__clotho_pipe
; CHECK-LABEL: define spir_func i32 @ofProgram(
; CHECK-NEXT: %read = call spir_func i32 @__get_pipe_max_packets_ro(ptr addrspace(1) @storage, i32 4, i32 4)
; CHECK-NEXT: %written = call spir_func i32 @__get_pipe_max_packets_wo(ptr addrspace(1) @storage, i32 4, i32 4)
define spir_func i32 @ofProgram() {
  %in = call spir_func target("spirv.Pipe", 0) @__clotho_pipe_ro(ptr addrspace(1) @storage)
  %out = call spir_func target("spirv.Pipe", 1) @__clotho_pipe_wo(ptr addrspace(1) @storage)
  %read = call spir_func i32 @__get_pipe_max_packets_ro(target("spirv.Pipe", 0) %in, i32 4, i32 4)
  %written = call spir_func i32 @__get_pipe_max_packets_wo(target("spirv.Pipe", 1) %out, i32 4, i32 4)
  %sum = add i32 %read, %written
  ret i32 %sum
}

; CHECK-LABEL: define spir_func i64 @reserve(ptr addrspace(1) noundef nonnull align 128 dereferenceable({{[0-9]+}}) %pipe)
; CHECK-SAME: #[[INLINED:[0-9]+]]
; CHECK-NEXT: %id = call spir_func i64 @__reserve_read_pipe(ptr addrspace(1) %pipe, i32 1, i32 4, i32 4)
; CHECK-NEXT: ret i64 %id
define spir_func target("spirv.ReserveId") @reserve(target("spirv.Pipe", 0) %pipe) noinline {
  %id = call spir_func target("spirv.ReserveId") @__reserve_read_pipe(target("spirv.Pipe", 0) %pipe, i32 1, i32 4, i32 4)
  ret target("spirv.ReserveId") %id
}

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-SAME: "clotho-pipe" %pipe)
; CHECK: %ids = alloca [3 x i64], align 8
; CHECK: %pair = alloca %[[PAIR]], align 8
; CHECK: %at = getelementptr [3 x i64], ptr %ids, i64 0, i64 2
; CHECK: store i64 %id, ptr %at
; CHECK: getelementptr %[[PAIR]], ptr %pair, i32 0, i32 0
; CHECK: store i64 %id, ptr addrspace(3) @k.id
define spir_kernel void @k(target("spirv.Pipe", 0) %pipe) {
  %ids = alloca [3 x target("spirv.ReserveId")], align 8
  %pair = alloca %struct.Pair, align 8
  %id = call spir_func target("spirv.ReserveId") @reserve(target("spirv.Pipe", 0) %pipe)
  %at = getelementptr [3 x target("spirv.ReserveId")], ptr %ids, i64 0, i64 2
  store target("spirv.ReserveId") %id, ptr %at
  %first = getelementptr %struct.Pair, ptr %pair, i32 0, i32 0
  store target("spirv.ReserveId") %id, ptr %first
  store target("spirv.ReserveId") %id, ptr addrspace(3) @k.id
  %again = load target("spirv.ReserveId"), ptr addrspace(3) @k.id
  call spir_func void @__commit_read_pipe(target("spirv.Pipe", 0) %pipe, target("spirv.ReserveId") %again, i32 4, i32 4)
  ret void
}

; CHECK: attributes #[[INLINED]] = { alwaysinline }
