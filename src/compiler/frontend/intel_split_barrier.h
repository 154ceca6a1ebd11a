// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL C declarations of cl_intel_split_work_group_barrier.
// clang-format off
void __attribute__((overloadable, convergent)) intel_work_group_barrier_arrive(cl_mem_fence_flags);
void __attribute__((overloadable, convergent)) intel_work_group_barrier_wait(cl_mem_fence_flags);
#if __OPENCL_C_VERSION__ >= 200
void __attribute__((overloadable, convergent)) intel_work_group_barrier_arrive(cl_mem_fence_flags, memory_scope);
void __attribute__((overloadable, convergent)) intel_work_group_barrier_wait(cl_mem_fence_flags, memory_scope);
#endif
