; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=program-scope-kernels %s | %check
; What a program is to run first becomes one kernel, and what it is to run last another: constructors by ascending
; priority, destructors by descending priority, those of one priority in the list's order. Kernels in the lists are
; kernels no more. Destructors that only a C++ library would run are left out.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

@object = addrspace(1) global i32 0
; CHECK-NOT: @__dso_handle
@__dso_handle = external hidden addrspace(1) global i8
; CHECK-NOT: @llvm.global_ctors
; CHECK-NOT: @llvm.global_dtors
@llvm.global_ctors = appending global [4 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @late, ptr null },
  { i32, ptr, ptr } { i32 65535, ptr null, ptr null },
  { i32, ptr, ptr } { i32 101, ptr @early, ptr null },
  { i32, ptr, ptr } { i32 65535, ptr @last, ptr null }]
@llvm.global_dtors = appending global [2 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 101, ptr @end, ptr null },
  { i32, ptr, ptr } { i32 200, ptr @start, ptr null }]

; CHECK: define internal spir_func void @late()
define internal spir_kernel void @late() {
  ret void
}

define spir_func void @early() {
  ret void
}

; CHECK: define internal spir_func void @last()
define spir_kernel void @last() {
; CHECK-NOT: __cxa_atexit
; CHECK: store i32 0
  %result = call spir_func i32 @__cxa_atexit(ptr @destroy, ptr null, ptr addrspace(1) @__dso_handle)
  store i32 %result, ptr addrspace(1) @object
; CHECK: call spir_func void @late()
  call spir_kernel void @late()
  ret void
}

define spir_func void @destroy(ptr addrspace(4) %this) {
  ret void
}

define spir_func void @start() {
  ret void
}

define spir_func void @end() {
  ret void
}

; The attribute is not believed.
; CHECK: define spir_kernel void @k(i32 %x) {
define spir_kernel void @k(i32 %x) "clotho-role"="initialise" {
  ret void
}

declare spir_func i32 @__cxa_atexit(ptr, ptr, ptr addrspace(1))

; CHECK: define spir_kernel void @clotho.initialise() #[[INITIALISE:[0-9]+]] {{.*}}!reqd_work_group_size ![[ONE:[0-9]+]]
; CHECK: call spir_func void @early()
; CHECK-NEXT: call spir_func void @late()
; CHECK-NEXT: call spir_func void @last()
; CHECK-NEXT: ret void
; CHECK: define spir_kernel void @clotho.clean-up() #[[CLEAN:[0-9]+]] {{.*}}!reqd_work_group_size ![[ONE]]
; CHECK: call spir_func void @start()
; CHECK-NEXT: call spir_func void @end()
; CHECK-NEXT: ret void

; CHECK: attributes #[[INITIALISE]] = { {{.*}}"clotho-role"="initialise"
; CHECK: attributes #[[CLEAN]] = { {{.*}}"clotho-role"="clean-up"
; CHECK: ![[ONE]] = !{i32 1, i32 1, i32 1}
