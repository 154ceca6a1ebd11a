// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// OpenCL 1.x atomics: atomic_* (1.1) and atom_* (the extensions of 1.0 and the 64-bit ones). They are relaxed and of
// device scope (OpenCL C 3.0, section 6.15.12.8).

#define RELAXED memory_order_relaxed, memory_scope_all_svm_devices

#define OPERATION(NAME, BUILTIN, AS, A, T)                                                                   \
  T OVERLOAD atomic_##NAME(volatile AS T* p, T v) { return __opencl_atomic_##BUILTIN((volatile AS A*)p, v, RELAXED); } \
  T OVERLOAD atom_##NAME(volatile AS T* p, T v) { return __opencl_atomic_##BUILTIN((volatile AS A*)p, v, RELAXED); }

#define STEP(NAME, BUILTIN, AS, A, T)                                                                      \
  T OVERLOAD atomic_##NAME(volatile AS T* p) { return __opencl_atomic_##BUILTIN((volatile AS A*)p, 1, RELAXED); } \
  T OVERLOAD atom_##NAME(volatile AS T* p) { return __opencl_atomic_##BUILTIN((volatile AS A*)p, 1, RELAXED); }

#define COMPARE(PREFIX, AS, A, T)                                                                        \
  T OVERLOAD PREFIX##_cmpxchg(volatile AS T* p, T expected, T desired) {                                 \
    __private T seen = expected;                                                                         \
    __opencl_atomic_compare_exchange_strong((volatile AS A*)p, &seen, desired, memory_order_relaxed, RELAXED); \
    return seen;                                                                                         \
  }

#define INTEGER(AS, A, T)              \
  OPERATION(add, fetch_add, AS, A, T)  \
  OPERATION(sub, fetch_sub, AS, A, T)  \
  OPERATION(xchg, exchange, AS, A, T)  \
  OPERATION(min, fetch_min, AS, A, T)  \
  OPERATION(max, fetch_max, AS, A, T)  \
  OPERATION(and, fetch_and, AS, A, T)  \
  OPERATION(or, fetch_or, AS, A, T)    \
  OPERATION(xor, fetch_xor, AS, A, T)  \
  STEP(inc, fetch_add, AS, A, T)       \
  STEP(dec, fetch_sub, AS, A, T)       \
  COMPARE(atomic, AS, A, T)            \
  COMPARE(atom, AS, A, T)

#define SPACE(AS)                 \
  INTEGER(AS, atomic_int, int)    \
  INTEGER(AS, atomic_uint, uint)  \
  INTEGER(AS, atomic_long, long)  \
  INTEGER(AS, atomic_ulong, ulong) \
  OPERATION(xchg, exchange, AS, atomic_float, float)

SPACE(__global)
SPACE(__local)
SPACE(__generic)
