// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of many more work-groups than there are elements for: accesses of most are far behind the buffers.

// Work-groups overlap by 16 elements, and the first begins before the buffer.
kernel void overlapping(global const int* in, global int* out, int n) {
  local int s[64];
  const int l = get_local_id(0), i = get_group_id(0) * 48 + l - 8;
  if (i >= 0 && i < n) s[l] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= 0 && i < n && l >= 8 && l < 56) out[i] = s[l] + (i > 0 ? s[l - 1] : 0);
}

// What a work-item has loaded, or not, is used by all.
kernel void chosen(global const int* in, global int* out, int n) {
  local int s[64];
  const int g = get_global_id(0), l = get_local_id(0);
  int x = 5;
  if (g < n) x = in[g] * 3;
  s[l] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = s[l ^ 1] + x;
  if (g < n) out[g] = sum;
  else if (g >= n && g - n < 0) out[g] = 0;
}

// Loads and a store of one guard, beside what all do.
kernel void several(global const int* in, global int* out, int n, global const int* more, global int* all) {
  const int g = get_global_id(0);
  int x = g * 7;
  for (int k = 0; k < 3; ++k)
    x = x * 5 + (g >> k);
  if (g < n) out[g] = in[g] + more[g] * 2 + x;
  all[g] = x;
}

// Rows before the first and behind the last one.
kernel void rows(global const int* in, global int* out, int w, int h) {
  local int s[4][16];
  const int lx = get_local_id(0), ly = get_local_id(1);
  const int x = (int)get_group_id(0) * 16 - 16 + lx, y = (int)get_group_id(1) * 4 - 4 + ly;
  const bool isThere = x >= 0 && x < w && y >= 0 && y < h;
  s[ly][lx] = 0;
  if (isThere) s[ly][lx] = in[y * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (isThere) out[y * w + x] = s[ly][lx ^ 1] + s[ly][lx];
}
