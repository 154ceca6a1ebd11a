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

kernel void threes(global const T* in, global T* out, int n) {
  int i = get_global_id(0);
  T r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
  out[3 * i] = g;
  out[3 * i + 1] = b;
  if (i < n)
    out[3 * i + 2] = r;
  else
    out[3 * i + 2] = r + (T)1;
}

// Each load but the first of a work-item is of what it has just stored, where both are one buffer.
kernel void shifted(global const T* in, global T* out, int n) {
  int i = get_global_id(0) * 5;
  for (int k = 0; k < 4; ++k)
    out[i + k + 1] = in[i + k] + (T)1;
}

// Local memory is nobody's global memory.
kernel void through_local(global const T* in, global T* out, int n) {
  local T t[512];
  int l = get_local_id(0), i = get_global_id(0);
  t[2 * l] = in[2 * i];
  t[2 * l + 1] = in[2 * i + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[2 * i] = t[2 * l + 1];
  out[2 * i + 1] = t[2 * l];
}

// Every second, third and n-th element.
kernel void apart(global const T* in, global T* out, int n) {
  int i = get_global_id(0);
  out[2 * i] = in[i];
  out[2 * (int)get_global_size(0) + 3 * i + 1] = in[n * i];
}

kernel void backwards(global const T* in, global T* out, int n) {
  int i = get_global_id(0);
  if (i < n)
    out[get_global_size(0) - 1 - i] = in[i];
  else
    out[(int)get_global_size(0) - 1 - i] = in[(int)get_global_size(0) + n - 1 - i] + (T)1;
}

// Of which parts are vectors themselves, and a part of which is anywhere.
kernel void words(global const uchar* bytes, global uint* out, int n) {
  int i = get_global_id(0);
  uchar4 x = vload4(i, bytes);
  out[4 * i] = as_uint(x + (uchar4)(1)) * 3u;
  out[4 * i + 1] = as_uint(x + (uchar4)(2)) * 3u;
  out[4 * i + 2] = as_uint(x + (uchar4)(3)) * 3u;
  out[4 * i + 3] = bytes[(i * n) % 192] * 3u;
}
