// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows and columns of what is numbered from one end to the other: most sub-groups are in one row, some are in two.
kernel void powers(global uint* out, global const uint* in, int less) {
  const size_t i = get_global_id(0);
  out[i] = in[i / 512] + in[i % 256] * 3 + in[(uint)i >> 9];
}

kernel void others(global uint* out, global const uint* in, int less) {
  const uint i = get_global_id(0);
  const uint row = i / 300, column = i % 300;
  out[column + row * 300] = in[column] * 5 + row + in[row];
}

// Below zero, quotients are rounded towards zero, and shifts down.
kernel void negative(global int* out, global const int* in, int less) {
  const int i = get_global_id(0), at = i - less;
  out[i] = at / 260 * 1000000 + at % 260 * 1000 + (at >> 8) * 10 + (at / 1024 == 0);
}

// Two or more elements for each work-item, and backwards.
kernel void strided(global int* out, global const uint* in, int less) {
  const int i = get_global_id(0);
  out[i] = in[(3 * i + 1) / 1500] + in[(3 * i + 1) % 800 & 255] + (2047 - i) / 333 * 7 + (uint)(2047 - i) % 333;
}

// Quotients of unsigned numbers that wrap around.
kernel void wrapped(global uint* out, global const uint* in, int less) {
  const uint i = get_global_id(0), at = i - less;
  out[i] = at / 1000 + at % 512;
}
