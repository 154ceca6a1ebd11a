; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-objects %s | %check
; An image becomes a pointer to its descriptor and a sampler a number; calls that only look behind the types disappear,
; and functions of the program that take such arguments are inlined everywhere.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare spir_func target("spirv.Sampler") @__translate_sampler_initializer(i32)
declare spir_func ptr addrspace(2) @_Z14__clotho_image14ocl_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0))
declare spir_func i64 @_Z16__clotho_sampler11ocl_sampler(target("spirv.Sampler"))
declare spir_func <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0), target("spirv.Sampler"), <2 x i32>)

; CHECK-LABEL: define spir_func i64 @behind(ptr addrspace(2) noundef nonnull readonly align 8 dereferenceable({{[0-9]+}}) %image, i64 %sampler)
; CHECK-SAME: #[[INLINED:[0-9]+]]
; CHECK-NEXT: %base = load i64, ptr addrspace(2) %image
; CHECK-NEXT: %sum = add i64 %base, %sampler
define spir_func i64 @behind(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %sampler) noinline {
  %descriptor = call spir_func ptr addrspace(2) @_Z14__clotho_image14ocl_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image)
  %number = call spir_func i64 @_Z16__clotho_sampler11ocl_sampler(target("spirv.Sampler") %sampler)
  %base = load i64, ptr addrspace(2) %descriptor
  %sum = add i64 %base, %number
  ret i64 %sum
}

; The kernel's own argument is marked, so that it does not count as a buffer.
; CHECK-LABEL: define spir_kernel void @k(
; CHECK-SAME: "clotho-image" %image, i64 %sampler, ptr addrspace(1) %out) !kernel_arg_type
; CHECK: %slot = alloca ptr addrspace(2), align 8
; CHECK: store ptr addrspace(2) %image, ptr %slot
; CHECK: %again = load ptr addrspace(2), ptr %slot
; CHECK: call spir_func <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(ptr addrspace(2) %again, i64 20, <2 x i32> zeroinitializer)
; CHECK: call spir_func i64 @behind(ptr addrspace(2) %again, i64 %sampler)
define spir_kernel void @k(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, target("spirv.Sampler") %sampler, ptr addrspace(1) %out) !kernel_arg_type !0 {
  %slot = alloca target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0), align 8
  store target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %image, ptr %slot
  %again = load target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0), ptr %slot
  %literal = call spir_func target("spirv.Sampler") @__translate_sampler_initializer(i32 20)
  %read = call spir_func <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %again, target("spirv.Sampler") %literal, <2 x i32> zeroinitializer)
  store <4 x float> %read, ptr addrspace(1) %out
  %seen = call spir_func i64 @behind(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %again, target("spirv.Sampler") %sampler)
  %to = getelementptr i64, ptr addrspace(1) %out, i64 2
  store i64 %seen, ptr addrspace(1) %to
  ret void
}

; CHECK: attributes #[[INLINED]] = { alwaysinline }
!0 = !{!"image2d_t", !"sampler_t", !"float4*"}
