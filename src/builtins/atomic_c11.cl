// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// C11 atomics (OpenCL C 3.0, section 6.15.12) on global, local and generic pointers. The scope never matters on a CPU:
// all work-items of all devices see one coherent memory, so every operation gets the widest scope.

#define SCOPE memory_scope_all_svm_devices

#define INIT(AS, A, T) \
  void OVERLOAD atomic_init(volatile AS A* p, T v) { __opencl_atomic_init(p, v); }

#define LOAD_STORE(AS, A, T)                                                                            \
  T OVERLOAD atomic_load_explicit(volatile AS A* p, memory_order o, memory_scope s) {                   \
    return __opencl_atomic_load(p, o, SCOPE);                                                           \
  }                                                                                                     \
  T OVERLOAD atomic_load_explicit(volatile AS A* p, memory_order o) {                                   \
    return __opencl_atomic_load(p, o, SCOPE);                                                           \
  }                                                                                                     \
  T OVERLOAD atomic_load(volatile AS A* p) { return __opencl_atomic_load(p, memory_order_seq_cst, SCOPE); } \
  void OVERLOAD atomic_store_explicit(volatile AS A* p, T v, memory_order o, memory_scope s) {          \
    __opencl_atomic_store(p, v, o, SCOPE);                                                              \
  }                                                                                                     \
  void OVERLOAD atomic_store_explicit(volatile AS A* p, T v, memory_order o) {                          \
    __opencl_atomic_store(p, v, o, SCOPE);                                                              \
  }                                                                                                     \
  void OVERLOAD atomic_store(volatile AS A* p, T v) {                                                   \
    __opencl_atomic_store(p, v, memory_order_seq_cst, SCOPE);                                           \
  }                                                                                                     \
  T OVERLOAD atomic_exchange_explicit(volatile AS A* p, T v, memory_order o, memory_scope s) {          \
    return __opencl_atomic_exchange(p, v, o, SCOPE);                                                    \
  }                                                                                                     \
  T OVERLOAD atomic_exchange_explicit(volatile AS A* p, T v, memory_order o) {                          \
    return __opencl_atomic_exchange(p, v, o, SCOPE);                                                    \
  }                                                                                                     \
  T OVERLOAD atomic_exchange(volatile AS A* p, T v) {                                                   \
    return __opencl_atomic_exchange(p, v, memory_order_seq_cst, SCOPE);                                 \
  }

#define COMPARE_EXCHANGE(NAME, AS, EXPECTED_AS, A, T)                                                     \
  bool OVERLOAD atomic_##NAME##_explicit(volatile AS A* p, EXPECTED_AS T* expected, T desired,            \
                                         memory_order success, memory_order failure, memory_scope s) {    \
    return __opencl_atomic_##NAME(p, expected, desired, success, failure, SCOPE);                         \
  }                                                                                                       \
  bool OVERLOAD atomic_##NAME##_explicit(volatile AS A* p, EXPECTED_AS T* expected, T desired,            \
                                         memory_order success, memory_order failure) {                    \
    return __opencl_atomic_##NAME(p, expected, desired, success, failure, SCOPE);                         \
  }                                                                                                       \
  bool OVERLOAD atomic_##NAME(volatile AS A* p, EXPECTED_AS T* expected, T desired) {                     \
    return __opencl_atomic_##NAME(p, expected, desired, memory_order_seq_cst, memory_order_seq_cst, SCOPE); \
  }

#define COMPARE_EXCHANGES(AS, EXPECTED_AS, A, T)                  \
  COMPARE_EXCHANGE(compare_exchange_strong, AS, EXPECTED_AS, A, T) \
  COMPARE_EXCHANGE(compare_exchange_weak, AS, EXPECTED_AS, A, T)

#define FETCH(NAME, AS, A, T, M)                                                               \
  T OVERLOAD atomic_##NAME##_explicit(volatile AS A* p, M v, memory_order o, memory_scope s) { \
    return __opencl_atomic_##NAME(p, (T)v, o, SCOPE);                                          \
  }                                                                                            \
  T OVERLOAD atomic_##NAME##_explicit(volatile AS A* p, M v, memory_order o) {                 \
    return __opencl_atomic_##NAME(p, (T)v, o, SCOPE);                                          \
  }                                                                                            \
  T OVERLOAD atomic_##NAME(volatile AS A* p, M v) {                                            \
    return __opencl_atomic_##NAME(p, (T)v, memory_order_seq_cst, SCOPE);                       \
  }

#define FETCHES(AS, A, T, M)    \
  FETCH(fetch_add, AS, A, T, M) \
  FETCH(fetch_sub, AS, A, T, M) \
  FETCH(fetch_or, AS, A, T, M)  \
  FETCH(fetch_xor, AS, A, T, M) \
  FETCH(fetch_and, AS, A, T, M) \
  FETCH(fetch_min, AS, A, T, M) \
  FETCH(fetch_max, AS, A, T, M)

#define TYPE(A, T)                          \
  INIT(__global, A, T)                      \
  INIT(__local, A, T)                       \
  INIT(__generic, A, T)                     \
  LOAD_STORE(__global, A, T)                \
  LOAD_STORE(__local, A, T)                 \
  LOAD_STORE(__generic, A, T)               \
  COMPARE_EXCHANGES(__global, __global, A, T) \
  COMPARE_EXCHANGES(__global, __local, A, T)  \
  COMPARE_EXCHANGES(__global, __private, A, T) \
  COMPARE_EXCHANGES(__local, __global, A, T)  \
  COMPARE_EXCHANGES(__local, __local, A, T)   \
  COMPARE_EXCHANGES(__local, __private, A, T) \
  COMPARE_EXCHANGES(__generic, __generic, A, T)

#define INTEGER(A, T)         \
  TYPE(A, T)                  \
  FETCHES(__global, A, T, T)  \
  FETCHES(__local, A, T, T)   \
  FETCHES(__generic, A, T, T)

INTEGER(atomic_int, int)
INTEGER(atomic_uint, uint)
INTEGER(atomic_long, long)
INTEGER(atomic_ulong, ulong)
TYPE(atomic_float, float)
TYPE(atomic_double, double)

// cl_ext_float_atomics.
#define REAL(AS, A, T)           \
  FETCH(fetch_add, AS, A, T, T)  \
  FETCH(fetch_sub, AS, A, T, T)  \
  FETCH(fetch_min, AS, A, T, T)  \
  FETCH(fetch_max, AS, A, T, T)
#define REALS(A, T) REAL(__global, A, T) REAL(__local, A, T) REAL(__generic, A, T)
REALS(atomic_float, float)
REALS(atomic_double, double)

// Halves are not initialised, compared or exchanged conditionally: the extension has no such functions.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
LOAD_STORE(__global, atomic_half, half)
LOAD_STORE(__local, atomic_half, half)
LOAD_STORE(__generic, atomic_half, half)
REALS(atomic_half, half)

// Clang declares its stores of halves with values of the atomic type.
#define STORE_HALF(AS, SPACE)                                                                                \
  void storeHalf##SPACE(volatile AS atomic_half* p, half v)                                                  \
      __asm__("_Z12atomic_storePU3AS" #SPACE "VU7_AtomicDhS_");                                              \
  void storeHalf##SPACE(volatile AS atomic_half* p, half v) { atomic_store(p, v); }                          \
  void storeHalfInOrder##SPACE(volatile AS atomic_half* p, half v, memory_order o)                           \
      __asm__("_Z21atomic_store_explicitPU3AS" #SPACE "VU7_AtomicDhS_12memory_order");                       \
  void storeHalfInOrder##SPACE(volatile AS atomic_half* p, half v, memory_order o) {                         \
    __opencl_atomic_store(p, v, o, SCOPE);                                                                   \
  }                                                                                                          \
  void storeHalfInScope##SPACE(volatile AS atomic_half* p, half v, memory_order o, memory_scope s)           \
      __asm__("_Z21atomic_store_explicitPU3AS" #SPACE "VU7_AtomicDhS_12memory_order12memory_scope");         \
  void storeHalfInScope##SPACE(volatile AS atomic_half* p, half v, memory_order o, memory_scope s) {         \
    __opencl_atomic_store(p, v, o, SCOPE);                                                                   \
  }
STORE_HALF(__global, 1)
STORE_HALF(__local, 3)
STORE_HALF(__generic, 4)

// atomic_intptr_t and atomic_uintptr_t are the 64-bit types, but their operand may have the other sign.
#define MIXED(AS)                         \
  FETCHES(AS, atomic_ulong, ulong, long)  \
  FETCHES(AS, atomic_long, long, ulong)

MIXED(__global)
MIXED(__local)
MIXED(__generic)

#define FLAG(AS)                                                                                             \
  bool OVERLOAD atomic_flag_test_and_set_explicit(volatile AS atomic_flag* p, memory_order o, memory_scope s) { \
    return __opencl_atomic_exchange(p, 1, o, SCOPE) != 0;                                                    \
  }                                                                                                          \
  bool OVERLOAD atomic_flag_test_and_set_explicit(volatile AS atomic_flag* p, memory_order o) {              \
    return __opencl_atomic_exchange(p, 1, o, SCOPE) != 0;                                                    \
  }                                                                                                          \
  bool OVERLOAD atomic_flag_test_and_set(volatile AS atomic_flag* p) {                                       \
    return __opencl_atomic_exchange(p, 1, memory_order_seq_cst, SCOPE) != 0;                                 \
  }                                                                                                          \
  void OVERLOAD atomic_flag_clear_explicit(volatile AS atomic_flag* p, memory_order o, memory_scope s) {     \
    __opencl_atomic_store(p, 0, o, SCOPE);                                                                   \
  }                                                                                                          \
  void OVERLOAD atomic_flag_clear_explicit(volatile AS atomic_flag* p, memory_order o) {                     \
    __opencl_atomic_store(p, 0, o, SCOPE);                                                                   \
  }                                                                                                          \
  void OVERLOAD atomic_flag_clear(volatile AS atomic_flag* p) {                                              \
    __opencl_atomic_store(p, 0, memory_order_seq_cst, SCOPE);                                                \
  }

FLAG(__global)
FLAG(__local)
FLAG(__generic)
