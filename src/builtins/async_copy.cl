// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Copies by a work-group: each work-item copies its share, at once, so that lanes that are neighbours copy what lies side
// by side; the barrier of wait_group_events shows the result to the others.

size_t OVERLOAD get_local_id(uint dimension);
size_t OVERLOAD get_local_size(uint dimension);
void OVERLOAD barrier(cl_mem_fence_flags flags);

static size_t ownShare(void) {
  return get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
}
static size_t shares(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }

// Vectors are copied by their elements, S; N of them take the vector's place in memory.
#define COPY(T, S, N, TO, FROM)                                                                        \
  event_t OVERLOAD async_work_group_copy(TO T* to, const FROM T* from, size_t count, event_t event) {  \
    const size_t end = count * N, step = shares();                                                     \
    for (size_t i = ownShare(); i < end; i += step) ((TO S*)to)[i] = ((const FROM S*)from)[i];         \
    return event;                                                                                      \
  }

#define GATHER(T)                                                                                            \
  event_t OVERLOAD async_work_group_strided_copy(__local T* to, const __global T* from, size_t count,        \
                                                 size_t stride, event_t event) {                             \
    const size_t step = shares();                                                                            \
    for (size_t i = ownShare(); i < count; i += step) to[i] = from[i * stride];                              \
    return event;                                                                                            \
  }                                                                                                          \
  event_t OVERLOAD async_work_group_strided_copy(__global T* to, const __local T* from, size_t count,        \
                                                 size_t stride, event_t event) {                             \
    const size_t step = shares();                                                                            \
    for (size_t i = ownShare(); i < count; i += step) to[i * stride] = from[i];                              \
    return event;                                                                                            \
  }

#define ONE(T, S, N) COPY(T, S, N, __local, __global) COPY(T, S, N, __global, __local) GATHER(T)
#define ALL(T) ONE(T, T, 1) ONE(T##2, T, 2) ONE(T##3, T, 4) ONE(T##4, T, 4) ONE(T##8, T, 8) ONE(T##16, T, 16)

ALL(char) ALL(uchar) ALL(short) ALL(ushort) ALL(int) ALL(uint) ALL(long) ALL(ulong) ALL(float) ALL(double) ALL(half)

void OVERLOAD wait_group_events(int count, __private event_t* events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

void OVERLOAD wait_group_events(int count, __generic event_t* events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
