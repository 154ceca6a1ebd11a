// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// libclc has the math functions with a result by pointer for named address spaces only; the generic ones take the
// result in private memory and store it, which costs nothing once inlined.

#define RESULT(NAME, T, R)                       \
  T OVERLOAD NAME(T x, __private R* result);     \
  T OVERLOAD NAME(T x, __generic R* result) {    \
    __private R r;                               \
    T y = NAME(x, &r);                           \
    *result = r;                                 \
    return y;                                    \
  }

#define QUOTIENT(T, R)                                \
  T OVERLOAD remquo(T x, T y, __private R* quotient);  \
  T OVERLOAD remquo(T x, T y, __generic R* quotient) { \
    __private R q;                                    \
    T z = remquo(x, y, &q);                           \
    *quotient = q;                                    \
    return z;                                         \
  }

#define TYPE(T, I)       \
  RESULT(fract, T, T)    \
  RESULT(modf, T, T)     \
  RESULT(sincos, T, T)   \
  RESULT(frexp, T, I)    \
  RESULT(lgamma_r, T, I) \
  QUOTIENT(T, I)

#define WIDTHS(T) TYPE(T, int) TYPE(T##2, int2) TYPE(T##3, int3) TYPE(T##4, int4) TYPE(T##8, int8) TYPE(T##16, int16)

WIDTHS(float)
WIDTHS(double)

// A generic pointer's address tells its address space. The compiler answers these questions, by the
// bounds of the running work-group's memories (src/compiler/transform/lower/lower_work_item.cpp) or by an instruction.
bool __attribute__((const)) isLocal(ulong p) __asm("clotho.get_is_local");
bool __attribute__((const)) isPrivate(ulong p) __asm("clotho.get_is_private");

static cl_mem_fence_flags fenceOf(ulong p) { return isLocal(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE; }
cl_mem_fence_flags OVERLOAD get_fence(__generic void* p) { return fenceOf((ulong)p); }
cl_mem_fence_flags OVERLOAD get_fence(const __generic void* p) { return fenceOf((ulong)p); }

// Functions that clang calls for to_global, to_local and to_private (OpenCL C 3.0, section 6.15.16).
__global void* toGlobal(__generic void* p) __asm("__to_global");
__local void* toLocal(__generic void* p) __asm("__to_local");
__private void* toPrivate(__generic void* p) __asm("__to_private");
__global void* toGlobal(__generic void* p) {
  return isLocal((ulong)p) || isPrivate((ulong)p) ? 0 : (__global void*)p;
}
__local void* toLocal(__generic void* p) { return isLocal((ulong)p) ? (__local void*)p : 0; }
__private void* toPrivate(__generic void* p) { return isPrivate((ulong)p) ? (__private void*)p : 0; }
