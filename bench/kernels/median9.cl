// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define SORT(a, b)            \
  {                           \
    uchar low = min(a, b);    \
    b = max(a, b);            \
    a = low;                  \
  }

// The median of 3 by 3 by a network of exchanges (Paeth's).
kernel void median9(global uchar* out, global const uchar* in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  uchar v[9];
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      v[(dy + 1) * 3 + dx + 1] = in[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)];
  SORT(v[1], v[2]) SORT(v[4], v[5]) SORT(v[7], v[8])
  SORT(v[0], v[1]) SORT(v[3], v[4]) SORT(v[6], v[7])
  SORT(v[1], v[2]) SORT(v[4], v[5]) SORT(v[7], v[8])
  SORT(v[0], v[3]) SORT(v[5], v[8]) SORT(v[4], v[7])
  SORT(v[3], v[6]) SORT(v[1], v[4]) SORT(v[2], v[5])
  SORT(v[4], v[7]) SORT(v[4], v[2]) SORT(v[6], v[4])
  SORT(v[4], v[2])
  out[y * width + x] = v[4];
}
