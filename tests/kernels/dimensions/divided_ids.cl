// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches in one dimension whose work-items find their place in two or three by division.

kernel void turn(global const int* in, global int* out, int w, int h) {
  int i = get_global_id(0);
  int x = i % w, y = i / w;
  out[x * h + y] = in[i];
}

kernel void turn_back(global const int* in, global int* out, uint w, uint h) {
  uint i = get_global_id(0);
  out[i] = in[i % h * w + i / h];
}

kernel void place(global int* out, ulong w) {
  size_t i = get_global_id(0);
  out[i] = (int)(i % w) * 1000 + (int)(i / w) * 10 + (int)get_work_dim() + (int)(get_global_size(0) - get_global_size(1));
}

kernel void three(global int* out, int w, int h) {
  int i = get_global_id(0);
  if (i >= (int)get_global_size(0) - 5)
    return;
  int x = i % w, y = i / w % h, z = i / w / h;
  out[i] = x + 100 * y + 10000 * z;
}

kernel void bits(global int* out) {
  size_t i = get_global_id(0);
  out[i] = (int)(i & 63) * 1000 + (int)(i >> 6);
}

kernel void edges(global const int* in, global int* out, int w, int h) {
  int i = get_global_id(0);
  int x = i % w, y = i / w;
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
    out[i] = -1;
  else
    out[i] = in[i] + in[i - 1] + in[i + 1] + in[i - w] + in[i + w];
}

// A divisor that is none of a row, at times.
kernel void chosen(global int* out, int w, int which) {
  int i = get_global_id(0);
  out[i] = i % (which ? w : 1) + i / w;
}

// Rows that an argument of few bits tells.
kernel void bytes(global int* out, uchar w) {
  int i = get_global_id(0);
  out[i] = i % w * 10 + i / w;
}
