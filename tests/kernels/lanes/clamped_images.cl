// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours in a byte image, clamped to its edges: most sub-groups touch no edge, and those run a version of their own.
// Images narrower than a sub-group, as wide, and a little wider; launches as large as the image, or larger with a guard.
kernel void box(global const uchar* in, global uchar* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  int sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      sum += in[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)];
  out[y * w + x] = sum / 9;
}

kernel void guardedBox(global const uchar* in, global uchar* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  int sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      sum += in[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)];
  out[y * w + x] = sum / 9;
}

kernel void byUnsignedIndex(global const uchar* in, global uchar* out, uint w, uint h) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) {
    const uint left = x > 0 ? x - 1 : 0, right = min(x + 1, w - 1), up = max(y, 1u) - 1, down = y + 1 < h ? y + 1 : h - 1;
    out[y * w + x] = (in[y * w + left] + in[y * w + right] + in[up * w + x] + in[down * w + x]) / 4;
  }
}

kernel void bySize(global const uchar* in, global uchar* out, int w, int h) {
  const size_t x = get_global_id(0), y = get_global_id(1), sw = w, sh = h;
  if (x >= sw || y >= sh) return;
  const size_t left = x == 0 ? 0 : x - 1, right = x == sw - 1 ? x : x + 1;
  const size_t up = y == 0 ? 0 : y - 1, down = y == sh - 1 ? y : y + 1;
  out[y * sw + x] = (in[y * sw + left] + in[y * sw + right] + in[up * sw + x] + in[down * sw + x]) / 4;
}

// Edges become zero instead.
kernel void withBorder(global const uchar* in, global uchar* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  uchar result = 0;
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
    result = max(max(in[y * w + x - 1], in[y * w + x + 1]), max(in[(y - 1) * w + x], in[(y + 1) * w + x]));
  out[y * w + x] = result;
}

// The radius is known when the kernel runs only.
kernel void byRadius(global const uchar* in, global uchar* out, int w, int h, int r) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  int sum = 0;
  for (int d = -r; d <= r; ++d) sum += in[y * w + clamp(x + d, 0, w - 1)];
  out[y * w + x] = sum / (2 * r + 1);
}
