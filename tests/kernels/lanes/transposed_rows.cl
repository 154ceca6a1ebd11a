// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What rows access lies one behind the other, while lanes are far from each other: several rows run at once, and each
// lane accesses what all of them do.
kernel void bounded(global const int* in, global int* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

kernel void unsigned_indices(global const int* in, global int* out, uint w, uint h) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) out[x * h + y] = in[x + y * w];
}

kernel void columns_are_read(global const int* in, global int* out, uint w, uint h) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) out[y * w + x] = in[x * h + y];
}

kernel void bytes(global const uchar* in, global uchar* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

kernel void longs(global const long* in, global long* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

kernel void vectors(global const int4* in, global int4* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

// The last row comes first.
kernel void turned(global const int* in, global int* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) out[x * h + (h - 1 - y)] = in[y * w + x];
}

kernel void turned_unsigned(global const int* in, global int* out, uint w, uint h) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) out[x * h + (h - 1 - y)] = in[y * w + x];
}

kernel void blocks(global const int* in, global int* out, int w, int h) {
  const int x = get_global_id(0) * 4, y = get_global_id(1) * 4;
  const int4 a = vload4(0, in + y * w + x), b = vload4(0, in + (y + 1) * w + x);
  const int4 c = vload4(0, in + (y + 2) * w + x), d = vload4(0, in + (y + 3) * w + x);
  vstore4((int4)(a.x, b.x, c.x, d.x), 0, out + x * h + y);
  vstore4((int4)(a.y, b.y, c.y, d.y), 0, out + (x + 1) * h + y);
  vstore4((int4)(a.z, b.z, c.z, d.z), 0, out + (x + 2) * h + y);
  vstore4((int4)(a.w, b.w, c.w, d.w), 0, out + (x + 3) * h + y);
}

kernel void slices(global const int* in, global int* out) {
  const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  const int w = get_global_size(0), h = get_global_size(1);
  out[(z * w + x) * h + y] = in[(z * h + y) * w + x];
}

// The coordinate wraps around between two rows, and what is computed of it does not.
kernel void far_rows(global const int* in, global int* out, uint first, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int row = (int)((uint)y - first);
  out[x * h + row] = in[row * w + x] + (y < 0 ? 1000 : 0) + (y < 0 ? y + 100 : y - 100) / (1 << 30);
}

// `once` and `twice` may be one buffer: what a row stores is what it loads again, behind other rows' stores.
kernel void twice(global const int* in, global int* once, global int* twice, global int* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  once[x * h + y] = in[y * w + x] + 1;
  twice[x * h + y] *= 3;
  out[y * w + x] = twice[x * h + y] - once[x * h + y];
}

// Some lanes have no part in it.
kernel void some(global const int* in, global int* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  if (in[x] % 3 != 0) out[x * h + y] = in[y * w + x];
}
