// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that lie one, two, three and four elements beside each other, from the first of a buffer to the last.
#define STENCIL(T)                                                                                                     \
  kernel void stencil_##T(global const T* in, global T* out) {                                                         \
    size_t i = get_global_id(0), x = i + 4;                                                                            \
    out[i] = in[x - 4] + 2 * in[x - 3] + 3 * in[x - 2] + 5 * in[x - 1] + 7 * in[x] + 11 * in[x + 1] +                  \
             13 * in[x + 2] + 17 * in[x + 3] + 19 * in[x + 4];                                                         \
  }
STENCIL(uchar)
STENCIL(ushort)
STENCIL(uint)
STENCIL(ulong)
STENCIL(float)
STENCIL(double)

// What is written in between is seen, and what one row writes the next one need not see.
kernel void between(global const int* in, global int* out) {
  size_t i = get_global_id(0);
  global int* a = out + 2 * i;
  int before = in[i] - in[i + 1];
  a[0] = before;
  a[1] = in[i + 1] - in[i + 2];
  a[0] += in[i] + in[i + 2] + before;
}
