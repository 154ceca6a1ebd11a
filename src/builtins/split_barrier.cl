// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Barriers in two parts (cl_intel_split_work_group_barrier). Work-items wait in the second one, which orders the memory
// of both; to arrive takes nothing.

void OVERLOAD barrier(cl_mem_fence_flags flags);

void OVERLOAD intel_work_group_barrier_arrive(cl_mem_fence_flags flags) {}
void OVERLOAD intel_work_group_barrier_arrive(cl_mem_fence_flags flags, memory_scope scope) {}
void OVERLOAD intel_work_group_barrier_wait(cl_mem_fence_flags flags) { barrier(flags); }
void OVERLOAD intel_work_group_barrier_wait(cl_mem_fence_flags flags, memory_scope scope) { barrier(flags); }
