// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours on a ring or a torus: the first one's left is the last.
#define KERNELS(T)                                                                        \
  kernel void ring_##T(global const int* in, global int* out) {                           \
    const T x = get_global_id(0), n = get_global_size(0);                                 \
    const T left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;                \
    out[x] = in[left] * 1000 + in[x] * 100 + in[right];                                   \
  }                                                                                       \
  kernel void torus_##T(global const int* in, global int* out, int w, int h) {            \
    const T x = get_global_id(0), y = get_global_id(1);                                   \
    if (x >= (T)w || y >= (T)h) return;                                                   \
    const T left = (x == 0 ? (T)w : x) - 1, right = x + 1 == (T)w ? 0 : x + 1;            \
    const T up = y != 0 ? y - 1 : h - 1, down = y != (T)(h - 1) ? y + 1 : 0;              \
    out[y * w + x] = in[y * w + left] + 2 * in[y * w + right] + 3 * in[up * w + x] + 4 * in[down * w + x]; \
  }
KERNELS(int)
KERNELS(uint)
KERNELS(long)
KERNELS(size_t)

kernel void ring_mod(global const int* in, global int* out) {
  const uint x = get_global_id(0), n = get_global_size(0);
  out[x] = in[(x + n - 1) % n] * 1000 + in[x] * 100 + in[(x + 1) % n];
}

// What lies past the seam is only compared with, never computed by.
kernel void seams(global const int* in, global int* out, uint a, uint b) {
  const uint x = get_global_id(0);
  int r = in[x];
  if (x == a) r = -1;
  if (x != b) r += 1000;
  if (x * 3 == a * 3 + 6) r = -r;
  if (5 - x == b) r += 7;
  out[x] = r;
}
