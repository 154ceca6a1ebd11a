// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Named barriers (cl_khr_subgroup_named_barrier), which programs from SPIR-V have: OpNamedBarrierInitialize and
// OpMemoryNamedBarrier become calls of these functions. The sub-groups of a kernel that has such a barrier run in turn,
// each on a stack of its own, since one that waits lets others run.

size_t OVERLOAD get_local_linear_id(void);
uint OVERLOAD get_sub_group_local_id(void);
ulong OVERLOAD sub_group_broadcast(ulong value, uint lane);
void OVERLOAD sub_group_barrier(cl_mem_fence_flags flags);
void OVERLOAD barrier(cl_mem_fence_flags flags);
void letOthersRun(void) __attribute__((convergent)) __asm__("clotho.let_others_run");

#define SCOPE memory_scope_work_group

struct NamedBarrier {
  uint subGroups;      // how many of them pass together
  atomic_uint arrived; // of those that will pass next
  atomic_uint passed;  // how often sub-groups have passed
};

// By all work-items of the work-group. What was the same barrier in an earlier round of a loop may still have sub-groups
// in it.
void __named_barrier_init(__local struct NamedBarrier* named, uint subGroups) {
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_linear_id() == 0) {
    named->subGroups = subGroups;
    __opencl_atomic_store(&named->arrived, 0, memory_order_relaxed, SCOPE);
    __opencl_atomic_store(&named->passed, 0, memory_order_relaxed, SCOPE);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// By all work-items of a sub-group. One of them speaks for it.
void __named_barrier_wait(__local struct NamedBarrier* named) {
  sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const bool speaks = get_sub_group_local_id() == 0;
  uint before = 0;
  if (speaks) {
    before = __opencl_atomic_load(&named->passed, memory_order_relaxed, SCOPE);
    const uint arrived = __opencl_atomic_fetch_add(&named->arrived, 1, memory_order_acq_rel, SCOPE) + 1;
    if (arrived == named->subGroups) {
      __opencl_atomic_store(&named->arrived, 0, memory_order_relaxed, SCOPE);
      __opencl_atomic_store(&named->passed, before + 1, memory_order_release, SCOPE);
    }
  }
  for (;;) {
    ulong passes = 0;
    if (speaks) passes = __opencl_atomic_load(&named->passed, memory_order_acquire, SCOPE) != before;
    if (sub_group_broadcast(passes, 0)) break;
    letOthersRun();
  }
  sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
