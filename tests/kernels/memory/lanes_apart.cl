// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes that are known distances apart, or in the reverse order, and pairs from local memory.

// Local memory does not alias global memory.
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

// Interleaved stores of four elements: three are computed from vectors, one is loaded from anywhere.
kernel void words(global const uchar* bytes, global uint* out, int n) {
  int i = get_global_id(0);
  uchar4 x = vload4(i, bytes);
  out[4 * i] = as_uint(x + (uchar4)(1)) * 3u;
  out[4 * i + 1] = as_uint(x + (uchar4)(2)) * 3u;
  out[4 * i + 2] = as_uint(x + (uchar4)(3)) * 3u;
  out[4 * i + 3] = bytes[(i * n) % 192] * 3u;
}
