// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Memory fences and questions about address spaces. All memory of a CPU is one, so the flags and the scope change
// nothing: an LLVM fence of the strongest scope covers them.

void OVERLOAD atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  switch (order) {
    case memory_order_relaxed: break;
    case memory_order_acquire: __scoped_atomic_thread_fence(__ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM); break;
    case memory_order_release: __scoped_atomic_thread_fence(__ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM); break;
    case memory_order_acq_rel: __scoped_atomic_thread_fence(__ATOMIC_ACQ_REL, __MEMORY_SCOPE_SYSTEM); break;
    default: __scoped_atomic_thread_fence(__ATOMIC_SEQ_CST, __MEMORY_SCOPE_SYSTEM); break;
  }
}

// The fences of OpenCL 1.x order only what one work-item does, as its work-group sees it.
void OVERLOAD mem_fence(cl_mem_fence_flags flags) {
  __scoped_atomic_thread_fence(__ATOMIC_ACQ_REL, __MEMORY_SCOPE_SYSTEM);
}

void OVERLOAD read_mem_fence(cl_mem_fence_flags flags) {
  __scoped_atomic_thread_fence(__ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM);
}

void OVERLOAD write_mem_fence(cl_mem_fence_flags flags) {
  __scoped_atomic_thread_fence(__ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
}
