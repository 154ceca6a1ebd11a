// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// vloadN and vstoreN through generic pointers (libclc has the named address spaces). The element's alignment is all
// that may be assumed (OpenCL C 3.0, section 6.15.7).

#define ACCESS(T, N)                                                       \
  typedef T##N __attribute__((aligned(sizeof(T)))) Unaligned_##T##N;       \
  T##N OVERLOAD vload##N(size_t offset, const __generic T* p) {            \
    return *(const __generic Unaligned_##T##N*)(p + N * offset);           \
  }                                                                        \
  void OVERLOAD vstore##N(T##N data, size_t offset, __generic T* p) {      \
    *(__generic Unaligned_##T##N*)(p + N * offset) = data;                 \
  }

// A three-component vector has the size of four, but only three are in memory.
#define ACCESS3(T)                                                         \
  T##3 OVERLOAD vload3(size_t offset, const __generic T* p) {              \
    p += 3 * offset;                                                       \
    return (T##3)(p[0], p[1], p[2]);                                       \
  }                                                                        \
  void OVERLOAD vstore3(T##3 data, size_t offset, __generic T* p) {        \
    p += 3 * offset;                                                       \
    p[0] = data.s0, p[1] = data.s1, p[2] = data.s2;                        \
  }

#define WIDTHS(T) ACCESS(T, 2) ACCESS3(T) ACCESS(T, 4) ACCESS(T, 8) ACCESS(T, 16)

WIDTHS(char) WIDTHS(uchar) WIDTHS(short) WIDTHS(ushort) WIDTHS(int) WIDTHS(uint) WIDTHS(long) WIDTHS(ulong)
WIDTHS(float) WIDTHS(double)

// --- Halves ---

#define VECTOR(x, T) __builtin_convertvector(x, T)
#define SCALAR(x, T) ((T)(x))

// Single ones and triples: the private versions of libclc convert, these move the bits. LANES elements lie STEP elements apart.
#define LOAD_HALF(NAME, F, LANES, STEP)                                    \
  F OVERLOAD NAME(size_t offset, const __private half* p);                 \
  F OVERLOAD NAME(size_t offset, const __generic half* p) {                \
    __private half h[STEP] __attribute__((aligned(32)));                   \
    for (int i = 0; i < LANES; ++i) h[i] = p[STEP * offset + i];           \
    return NAME(0, (const __private half*)h);                              \
  }

// In one piece, which neighbouring lanes can then load as one too.
#define LOAD_HALF_WHOLE(NAME, AS, N)                                                          \
  float##N OVERLOAD NAME(size_t offset, const AS half* p) {                                   \
    typedef half whole __attribute__((ext_vector_type(N), aligned(2)));                       \
    const half##N h = *(const AS whole*)(p + N * offset);                                     \
    return __builtin_convertvector(h, float##N);                                              \
  }

// Rounding: the conversion rounds to nearest, and a step to the next half mends what went the wrong way. As integers,
// neighbouring halves of one sign differ by one, up to infinity.
#define TOWARDS(F, MODE, WRONG)                                            \
  static half half_##MODE##_##F(F x) {                                     \
    const half nearest = (half)x;                                          \
    const F back = (F)nearest;                                             \
    const short bits = as_short(nearest);                                  \
    return as_half((short)(WRONG));                                        \
  }
#define AWAY (bits + 1)
#define BACK (bits - 1)
#define ROUNDINGS(F)                                                                    \
  TOWARDS(F, rtz, (x > 0 ? back > x : back < x) ? BACK : bits)                       \
  TOWARDS(F, rtp, back < x ? (bits < 0 ? BACK : AWAY) : bits)                           \
  TOWARDS(F, rtn, back > x ? (x < 0 ? AWAY : BACK) : bits)
ROUNDINGS(float)
ROUNDINGS(double)

// A store through each kind of pointer.
#define STORE_NEAREST(NAME, AS, F, N, CONVERT, LANES, STEP)                \
  void OVERLOAD NAME(F##N data, size_t offset, AS half* p) {               \
    const half##N h = CONVERT(data, half##N);                              \
    for (int i = 0; i < LANES; ++i) p[STEP * offset + i] = ((const __private half*)&h)[i]; \
  }
#define STORE_ROUNDED(NAME, AS, F, N, MODE, LANES, STEP)                   \
  void OVERLOAD NAME##_##MODE(F##N data, size_t offset, AS half* p) {      \
    for (int i = 0; i < LANES; ++i)                                        \
      p[STEP * offset + i] = half_##MODE##_##F(((const __private F*)&data)[i]); \
  }
#define STORES(NAME, AS, F, N, CONVERT, LANES, STEP)        \
  STORE_NEAREST(NAME, AS, F, N, CONVERT, LANES, STEP)       \
  STORE_NEAREST(NAME##_rte, AS, F, N, CONVERT, LANES, STEP) \
  STORE_ROUNDED(NAME, AS, F, N, rtz, LANES, STEP)           \
  STORE_ROUNDED(NAME, AS, F, N, rtp, LANES, STEP)           \
  STORE_ROUNDED(NAME, AS, F, N, rtn, LANES, STEP)
#define EVERYWHERE(NAME, F, N, CONVERT, LANES, STEP)        \
  STORES(NAME, __private, F, N, CONVERT, LANES, STEP)       \
  STORES(NAME, __local, F, N, CONVERT, LANES, STEP)         \
  STORES(NAME, __global, F, N, CONVERT, LANES, STEP)        \
  STORES(NAME, __generic, F, N, CONVERT, LANES, STEP)

#define HALF(N, CONVERT, LANES, STEP, ALIGNED_STEP)                   \
  EVERYWHERE(vstore_half##N, float, N, CONVERT, LANES, STEP)          \
  EVERYWHERE(vstore_half##N, double, N, CONVERT, LANES, STEP)         \
  EVERYWHERE(vstorea_half##N, float, N, CONVERT, LANES, ALIGNED_STEP) \
  EVERYWHERE(vstorea_half##N, double, N, CONVERT, LANES, ALIGNED_STEP)

LOAD_HALF(vload_half, float, 1, 1)
LOAD_HALF(vloada_half, float, 1, 1)
LOAD_HALF(vload_half3, float3, 3, 3)
LOAD_HALF(vloada_half3, float3, 3, 4)
#define LOADS_WHOLE(N, AS) LOAD_HALF_WHOLE(vload_half##N, AS, N) LOAD_HALF_WHOLE(vloada_half##N, AS, N)
#define LOADS_EVERYWHERE(N) \
  LOADS_WHOLE(N, __generic) LOADS_WHOLE(N, __global) LOADS_WHOLE(N, __constant) LOADS_WHOLE(N, __local) LOADS_WHOLE(N, __private)
LOADS_EVERYWHERE(2) LOADS_EVERYWHERE(4) LOADS_EVERYWHERE(8) LOADS_EVERYWHERE(16)

HALF(, SCALAR, 1, 1, 1)
HALF(2, VECTOR, 2, 2, 2)
HALF(3, VECTOR, 3, 3, 4)
HALF(4, VECTOR, 4, 4, 4)
HALF(8, VECTOR, 8, 8, 8)
HALF(16, VECTOR, 16, 16, 16)
