// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices that follow each other in most vectors and not in those at an edge: clamped, chosen, with bits flipped.
kernel void clamped(global const int* in, global int* out, int r) {
  const int g = get_global_id(0), n = get_global_size(0);
  out[g] = in[clamp(g - r, 0, n - 1)] * 100 + in[min(g + r, n - 1)];
}

kernel void chosen(global const int* in, global int* out, int r) {
  const int g = get_global_id(0), n = get_global_size(0);
  out[g] = in[g < r ? 0 : g > n - r ? n - 1 : g] * 100 + in[(g & 1) ? g : r];
}

kernel void flipped(global const int* in, global int* out, int r) {
  const int g = get_global_id(0);
  out[g ^ r] = in[g ^ (r + 3)];
}

kernel void pairs(global const int2* in, global int2* out, int r) {
  const int g = get_global_id(0), n = get_global_size(0);
  if (g != 7) out[max(g, 7)] = in[min(g + r, n - 1)].yx;
}

kernel void bytes(global const uchar4* in, global uchar4* out, int r) {
  const int g = get_global_id(0), n = get_global_size(0);
  out[g] = in[max(g - r, 0)].wzyx;
  if (g % 3 == 1) out[g] = in[(g * 5) % n];
}
