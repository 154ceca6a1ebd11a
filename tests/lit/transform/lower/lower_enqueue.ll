; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; RUN: %opt --passes=lower-enqueue %s | %check
; Each form of enqueue_kernel becomes one call of the library, and so do the queries; a block is known by its number in
; the order of the module, and what is left out is null or zero. What a block has captured is copied: the
; library must not know of the function in its literal.

target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64"

declare spir_func i32 @__enqueue_kernel_basic(i64, i32, ptr, ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @__enqueue_kernel_basic_events(i64, i32, ptr, i32, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @__enqueue_kernel_varargs(i64, i32, ptr, ptr addrspace(4), ptr addrspace(4), i32, ptr)
declare spir_func i32 @__enqueue_kernel_events_varargs(i64, i32, ptr, i32, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), i32, ptr)
declare spir_func i32 @__get_kernel_work_group_size_impl(ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @__get_kernel_preferred_work_group_size_multiple_impl(ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @__get_kernel_max_sub_group_size_for_ndrange_impl(ptr, ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @__get_kernel_sub_group_count_for_ndrange_impl(ptr, ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @__get_kernel_max_num_sub_groups_impl(ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @__get_kernel_local_size_for_sub_group_count_impl(i32, ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @_Z14enqueue_marker9ocl_queuejPU3AS4K12ocl_clkeventPU3AS4S0_(i64, i32, ptr addrspace(4), ptr addrspace(4))

@nothing_captured = internal addrspace(1) constant { i32, i32, ptr addrspace(4) } { i32 16, i32 8, ptr addrspace(4) null }

define spir_kernel void @first_kernel(ptr addrspace(4) %literal) {
  ret void
}

define spir_kernel void @second_kernel(ptr addrspace(4) %literal, ptr addrspace(3) %memory) {
  ret void
}

; CHECK-LABEL: define spir_kernel void @parent(
; CHECK: %[[FROM:.*]] = getelementptr inbounds i8, ptr %literal, i64 16
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 8 %captures{{.*}}, ptr align 8 %[[FROM]], i64 12, i1 false)
; CHECK: %[[RANGE:.*]] = addrspacecast ptr %range to ptr addrspace(4)
; CHECK: %[[OWN:.*]] = call spir_func i64 @clotho.get_enqueuing()
; CHECK: %[[RESULT:.*]] = call spir_func i32 @clotho.queue_enqueue(i64 %[[OWN]], i64 %queue, i32 1, ptr addrspace(4) %[[RANGE]], i32 0, ptr addrspace(4) null, ptr addrspace(4) null, i32 0, ptr addrspace(4) %{{.*}}, i32 12, i32 0, ptr addrspace(4) null, i32 1)
; CHECK: store i32 %[[RESULT]], ptr %out
; CHECK: call spir_func i32 @clotho.queue_enqueue(i64 %{{.*}}, i64 %queue, i32 0, ptr addrspace(4) %{{.*}}, i32 2, ptr addrspace(4) %waits, ptr addrspace(4) %event, i32 0, ptr addrspace(4) %{{.*}}, i32 12, i32 0, ptr addrspace(4) null, i32 1)
; CHECK: %[[SIZES:.*]] = addrspacecast ptr %sizes to ptr addrspace(4)
; CHECK: call spir_func i32 @clotho.queue_enqueue(i64 %{{.*}}, i64 %queue, i32 2, ptr addrspace(4) %{{.*}}, i32 0, ptr addrspace(4) null, ptr addrspace(4) null, i32 1, ptr addrspace(4) null, i32 0, i32 1, ptr addrspace(4) %[[SIZES]], i32 1)
; CHECK: call spir_func i32 @clotho.queue_enqueue(i64 %{{.*}}, i64 %queue, i32 2, ptr addrspace(4) %{{.*}}, i32 2, ptr addrspace(4) %waits, ptr addrspace(4) null, i32 1, ptr addrspace(4) null, i32 0, i32 1, ptr addrspace(4) %{{.*}}, i32 1)
; CHECK: call spir_func i32 @clotho.queue_most_items(i64 %{{.*}}, i32 1)
; CHECK: call spir_func i32 @clotho.queue_preferred_multiple(i64 %{{.*}}, i32 0)
; CHECK: call spir_func i32 @clotho.queue_sub_group_size(i64 %{{.*}}, i32 0, ptr addrspace(4) %{{.*}})
; CHECK: call spir_func i32 @clotho.queue_sub_groups(i64 %{{.*}}, i32 1, ptr addrspace(4) %{{.*}})
; CHECK: call spir_func i32 @clotho.queue_most_sub_groups(i64 %{{.*}}, i32 1)
; CHECK: call spir_func i32 @clotho.queue_local_size_for(i64 %{{.*}}, i32 0, i32 3)
; CHECK: call spir_func i32 @clotho.queue_mark(i64 %{{.*}}, i64 %queue, i32 2, ptr addrspace(4) %waits, ptr addrspace(4) %event, i32 1)
; CHECK-NOT: addrspacecast (ptr @
; CHECK-NOT: declare {{.*}}@__enqueue_kernel
define spir_kernel void @parent(i64 %queue, ptr addrspace(4) %waits, ptr addrspace(4) %event) {
  %literal = alloca <{ i32, i32, ptr addrspace(4), ptr addrspace(1), i32 }>
  %range = alloca { i32, [3 x i64], [3 x i64], [3 x i64] }
  %sizes = alloca [1 x i64]
  %out = alloca i32
  %cast = addrspacecast ptr %literal to ptr addrspace(4)
  %1 = call spir_func i32 @__enqueue_kernel_basic(i64 %queue, i32 1, ptr %range, ptr addrspace(4) addrspacecast (ptr @first_kernel to ptr addrspace(4)), ptr addrspace(4) %cast)
  store i32 %1, ptr %out
  %2 = call spir_func i32 @__enqueue_kernel_basic_events(i64 %queue, i32 0, ptr %range, i32 2, ptr addrspace(4) %waits, ptr addrspace(4) %event, ptr addrspace(4) addrspacecast (ptr @first_kernel to ptr addrspace(4)), ptr addrspace(4) %cast)
  %3 = call spir_func i32 @__enqueue_kernel_varargs(i64 %queue, i32 2, ptr %range, ptr addrspace(4) addrspacecast (ptr @second_kernel to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @nothing_captured to ptr addrspace(4)), i32 1, ptr %sizes)
  %4 = call spir_func i32 @__enqueue_kernel_events_varargs(i64 %queue, i32 2, ptr %range, i32 2, ptr addrspace(4) %waits, ptr addrspace(4) null, ptr addrspace(4) addrspacecast (ptr @second_kernel to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @nothing_captured to ptr addrspace(4)), i32 1, ptr %sizes)
  %5 = call spir_func i32 @__get_kernel_work_group_size_impl(ptr addrspace(4) addrspacecast (ptr @second_kernel to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @nothing_captured to ptr addrspace(4)))
  %6 = call spir_func i32 @__get_kernel_preferred_work_group_size_multiple_impl(ptr addrspace(4) addrspacecast (ptr @first_kernel to ptr addrspace(4)), ptr addrspace(4) %cast)
  %7 = call spir_func i32 @__get_kernel_max_sub_group_size_for_ndrange_impl(ptr %range, ptr addrspace(4) addrspacecast (ptr @first_kernel to ptr addrspace(4)), ptr addrspace(4) %cast)
  %8 = call spir_func i32 @__get_kernel_sub_group_count_for_ndrange_impl(ptr %range, ptr addrspace(4) addrspacecast (ptr @second_kernel to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @nothing_captured to ptr addrspace(4)))
  %9 = call spir_func i32 @__get_kernel_max_num_sub_groups_impl(ptr addrspace(4) addrspacecast (ptr @second_kernel to ptr addrspace(4)), ptr addrspace(4) null)
  %10 = call spir_func i32 @__get_kernel_local_size_for_sub_group_count_impl(i32 3, ptr addrspace(4) addrspacecast (ptr @first_kernel to ptr addrspace(4)), ptr addrspace(4) null)
  %11 = call spir_func i32 @_Z14enqueue_marker9ocl_queuejPU3AS4K12ocl_clkeventPU3AS4S0_(i64 %queue, i32 2, ptr addrspace(4) %waits, ptr addrspace(4) %event)
  ret void
}

; Built with -g: work-items are told what is wrong.
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"clotho.enqueue-tells-why", i32 1}
