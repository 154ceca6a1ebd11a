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

// Boxes: planes of lines of elements of any size (cl_khr_extended_async_copies). Each line is copied like a buffer, by
// words where all that matters is a multiple of them.
#define BOX(TO, FROM)                                                                                              \
  static void OVERLOAD copyLines(TO char* to, const FROM char* from, size_t bytes, size_t lines, size_t toLine,    \
                                 size_t fromLine) {                                                                \
    const size_t step = shares();                                                                                  \
    const bool byWords = (((size_t)to | (size_t)from | bytes | toLine | fromLine) & 3) == 0;                       \
    for (size_t line = 0; line < lines; ++line, to += toLine, from += fromLine)                                    \
      if (byWords)                                                                                                 \
        for (size_t i = ownShare(); i < bytes / 4; i += step) ((TO uint*)to)[i] = ((const FROM uint*)from)[i];     \
      else                                                                                                         \
        for (size_t i = ownShare(); i < bytes; i += step) to[i] = from[i];                                         \
  }                                                                                                                \
  event_t OVERLOAD async_work_group_copy_2D2D(TO void* to, size_t toOffset, const FROM void* from,                 \
                                              size_t fromOffset, size_t size, size_t elements, size_t lines,       \
                                              size_t fromLine, size_t toLine, event_t event) {                     \
    copyLines((TO char*)to + toOffset * size, (const FROM char*)from + fromOffset * size, elements * size, lines,  \
              toLine * size, fromLine * size);                                                                     \
    return event;                                                                                                  \
  }                                                                                                                \
  event_t OVERLOAD async_work_group_copy_3D3D(TO void* to, size_t toOffset, const FROM void* from,                 \
                                              size_t fromOffset, size_t size, size_t elements, size_t lines,       \
                                              size_t planes, size_t fromLine, size_t fromPlane, size_t toLine,     \
                                              size_t toPlane, event_t event) {                                     \
    TO char* t = (TO char*)to + toOffset * size;                                                                   \
    const FROM char* f = (const FROM char*)from + fromOffset * size;                                               \
    for (size_t plane = 0; plane < planes; ++plane, t += toPlane * size, f += fromPlane * size)                    \
      copyLines(t, f, elements * size, lines, toLine * size, fromLine * size);                                     \
    return event;                                                                                                  \
  }
BOX(__local, __global)
BOX(__global, __local)

void OVERLOAD wait_group_events(int count, __private event_t* events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

void OVERLOAD wait_group_events(int count, __generic event_t* events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
