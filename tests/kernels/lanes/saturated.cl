// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Around the limits of each integer type, infinities and NaN.
#define TO(T)                                                                                               \
  kernel void float_##T(global const float* in, global T* out) {                                            \
    const int i = get_global_id(0);                                                                         \
    out[i] = convert_##T##_sat(in[i]);                                                                      \
  }                                                                                                         \
  kernel void double_##T(global const double* in, global T* out) {                                          \
    const int i = get_global_id(0);                                                                         \
    out[i] = convert_##T##_sat(in[i]);                                                                      \
  }                                                                                                         \
  kernel void half_##T(global const half* in, global T* out) {                                              \
    const int i = get_global_id(0);                                                                         \
    out[i] = convert_##T##_sat(vload_half(i, in));                                                          \
  }                                                                                                         \
  kernel void nearest_##T(global const float* in, global T* out) {                                          \
    const int i = get_global_id(0);                                                                         \
    if (i % 3 != 1) out[i] = convert_##T##_sat_rte(in[i]);                                                  \
  }                                                                                                         \
  kernel void inRange_##T(global const double* in, global T* out) {                                         \
    const int i = get_global_id(0);                                                                         \
    out[i] = convert_##T(in[i]);                                                                            \
  }                                                                                                         \
  kernel void floatInRange_##T(global const float* in, global T* out) {                                     \
    const int i = get_global_id(0);                                                                         \
    out[i] = (T)in[i];                                                                                      \
  }
TO(char)
TO(uchar)
TO(short)
TO(ushort)
TO(int)
TO(uint)
TO(long)
TO(ulong)
