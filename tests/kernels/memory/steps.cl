// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several neighbouring work-items have the same element: pictures made larger, chroma of video.
kernel void halves(global const T* in, global T* out, int first) {
  int i = get_global_id(0);
  out[i] = in[(i + first) / 2];
}

// Around zero, where a division is no shift.
kernel void around(global const T* in, global T* out) {
  int i = get_global_id(0);
  out[i] = in[50 + ((i - 100) >> 1)] + in[50 + (i - 100) / 2];
}

kernel void quarters(global const T* in, global T* out, uint n) {
  uint i = get_global_id(0);
  if (i < n)
    out[i] = in[min(i >> 2, 9u)] + in[(i >> 1) >> 1];
  else
    out[i] = (T)7;
}

// The first and the second of each pair.
kernel void pairs(global const T* in, global T* out, int n) {
  int i = get_global_id(0);
  T x = in[i & ~1], y = in[i | 1];
  out[i] = i < n ? x - y : y - x;
}

// Rows and columns twice as far apart; some work-items have none.
kernel void rows(global const T* in, global T* out, int w) {
  int x = get_global_id(0), y = get_global_id(1);
  if ((x & 6) != 2)
    out[y * w + x] = in[(y / 2) * w + x / 2 * 2 + 1];
}
