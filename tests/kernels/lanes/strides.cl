// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every second and third element, backwards, and both at once; of several sizes.
#define STRIDES(T)                                                            \
  kernel void strides_##T(global const T* in, global T* out) {                \
    const size_t g = get_global_id(0), n = get_global_size(0);                \
    const T a = in[3 * g + 1], b = in[2 * g], c = in[3 * n - 1 - g];          \
    out[4 * g] = a;                                                           \
    out[4 * g + 2] = b;                                                       \
    out[4 * n + (n - 1 - g)] = c;                                             \
    out[5 * n + 2 * (n - 1 - g)] = a;                                         \
  }
STRIDES(uchar)
STRIDES(short)
STRIDES(int)
STRIDES(float)
STRIDES(double)
STRIDES(ulong)
