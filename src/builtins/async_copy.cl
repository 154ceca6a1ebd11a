// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Copies by a work-group. A work-group runs in one thread, so its first work-item copies everything at once; the
// barrier of wait_group_events shows the result to the others.

size_t OVERLOAD get_local_id(uint dimension);
void OVERLOAD barrier(cl_mem_fence_flags flags);

static bool isFirstWorkItem(void) { return (get_local_id(0) | get_local_id(1) | get_local_id(2)) == 0; }

#define COPY(T, TO, FROM)                                                                              \
  event_t OVERLOAD async_work_group_copy(TO T* to, const FROM T* from, size_t count, event_t event) {  \
    if (isFirstWorkItem()) for (size_t i = 0; i < count; ++i) to[i] = from[i];                         \
    return event;                                                                                      \
  }

#define GATHER(T)                                                                                            \
  event_t OVERLOAD async_work_group_strided_copy(__local T* to, const __global T* from, size_t count,        \
                                                 size_t stride, event_t event) {                             \
    if (isFirstWorkItem()) for (size_t i = 0; i < count; ++i) to[i] = from[i * stride];                      \
    return event;                                                                                            \
  }                                                                                                          \
  event_t OVERLOAD async_work_group_strided_copy(__global T* to, const __local T* from, size_t count,        \
                                                 size_t stride, event_t event) {                             \
    if (isFirstWorkItem()) for (size_t i = 0; i < count; ++i) to[i * stride] = from[i];                      \
    return event;                                                                                            \
  }

#define ONE(T) COPY(T, __local, __global) COPY(T, __global, __local) GATHER(T)
#define ALL(T) ONE(T) ONE(T##2) ONE(T##3) ONE(T##4) ONE(T##8) ONE(T##16)

ALL(char) ALL(uchar) ALL(short) ALL(ushort) ALL(int) ALL(uint) ALL(long) ALL(ulong) ALL(float) ALL(double) ALL(half)

void OVERLOAD wait_group_events(int count, __private event_t* events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

void OVERLOAD wait_group_events(int count, __generic event_t* events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
