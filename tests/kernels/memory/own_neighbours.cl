// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items with several elements side by side, stored one after the other with loads between. Where both arguments
// are one buffer, each load sees what was stored before it.
kernel void pairs(global const T* in, global T* out, int n) {
  int i = get_global_id(0);
  if (i < n) {
    out[2 * i] = in[2 * i] * (T)3;
    out[2 * i + 1] = in[2 * i + 1] * (T)3 + in[2 * i];
  }
}

kernel void fours(global const T* in, global T* out, int n) {
  int i = get_global_id(0) * 4;
  for (int k = 0; k < 4; ++k)
    out[i + k] = in[i + k] * (T)3 + (T)1;
}

// By a number that differs from element to element, and one that does not.
kernel void fives(global const T* in, global T* out, int n) {
  size_t i = get_global_id(0);
  for (int k = 0; k < 4; ++k)
    out[i * 5 + k] = (in[i * 5 + k] + (T)k) * (T)n;
  out[i * 5 + 4] = in[i * 5] + in[i * 5 + 4];
}

// Each load but the first of a work-item is of what it has just stored, where both are one buffer.
kernel void shifted(global const T* in, global T* out, int n) {
  int i = get_global_id(0) * 5;
  for (int k = 0; k < 4; ++k)
    out[i + k + 1] = in[i + k] + (T)1;
}
