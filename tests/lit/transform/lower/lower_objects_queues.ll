; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-objects %s | %check
; Queues and events of the device become numbers, also in arrays, structs and the literals of blocks.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

%pair = type { i32, target("spirv.DeviceEvent") }

declare spir_func i64 @_Z15__clotho_handle12ocl_clkevent(target("spirv.DeviceEvent"))
declare spir_func target("spirv.Queue") @_Z14__clotho_queuem(i64)

; CHECK-LABEL: define spir_func i64 @queueOf(i64 %handle)
; CHECK-NEXT: ret i64 %handle
define spir_func target("spirv.Queue") @queueOf(i64 %handle) {
  %queue = call spir_func target("spirv.Queue") @_Z14__clotho_queuem(i64 %handle)
  ret target("spirv.Queue") %queue
}

; CHECK-LABEL: define spir_kernel void @k(i64 %queue, ptr addrspace(1) %out)
; CHECK: %events = alloca [3 x i64]
; CHECK: %pair = alloca %{{.*}}, align
; CHECK: %literal = alloca <{ i32, i32, ptr addrspace(4), i64 }>
; CHECK: %at = getelementptr inbounds [3 x i64], ptr %events, i64 0, i64 2
; CHECK: %event = load i64, ptr %at
; CHECK: getelementptr inbounds %{{.*}}, ptr %pair, i32 0, i32 1
; CHECK: getelementptr inbounds <{ i32, i32, ptr addrspace(4), i64 }>, ptr %literal, i32 0, i32 3
; CHECK: store i64 %queue
; CHECK: store i64 %event, ptr addrspace(1) %out
define spir_kernel void @k(target("spirv.Queue") %queue, ptr addrspace(1) %out) {
  %events = alloca [3 x target("spirv.DeviceEvent")]
  %pair = alloca %pair
  %literal = alloca <{ i32, i32, ptr addrspace(4), target("spirv.Queue") }>
  %at = getelementptr inbounds [3 x target("spirv.DeviceEvent")], ptr %events, i64 0, i64 2
  %event = load target("spirv.DeviceEvent"), ptr %at
  %member = getelementptr inbounds %pair, ptr %pair, i32 0, i32 1
  store target("spirv.DeviceEvent") %event, ptr %member
  %captured = getelementptr inbounds <{ i32, i32, ptr addrspace(4), target("spirv.Queue") }>, ptr %literal, i32 0, i32 3
  store target("spirv.Queue") %queue, ptr %captured
  %number = call spir_func i64 @_Z15__clotho_handle12ocl_clkevent(target("spirv.DeviceEvent") %event)
  store i64 %number, ptr addrspace(1) %out
  ret void
}
