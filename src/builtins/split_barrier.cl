// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Barriers in two parts (cl_intel_split_work_group_barrier). To arrive takes nothing. Work-items wait in the second
// part, which orders all memory, since the first one's flags need not be its own.

void OVERLOAD barrier(cl_mem_fence_flags flags);

#define WAIT barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
void OVERLOAD intel_work_group_barrier_arrive(cl_mem_fence_flags flags) {}
void OVERLOAD intel_work_group_barrier_arrive(cl_mem_fence_flags flags, memory_scope scope) {}
void OVERLOAD intel_work_group_barrier_wait(cl_mem_fence_flags flags) { WAIT; }
void OVERLOAD intel_work_group_barrier_wait(cl_mem_fence_flags flags, memory_scope scope) { WAIT; }
