// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of columns of a matrix, whose rows are far apart: loops over sub-groups and over rows change places.
kernel void sums(global int* out, global const int* a, int columns, int rows) {
  int i = get_global_id(0);
  if (i >= columns)
    return;
  int sum = 3;
  for (int j = 0; j < rows; j++)
    sum = 2 * sum + a[j * columns + i];
  out[i] = sum;
}

// Two sums, weights that all share, something before and after; every other row, from the last one on.
kernel void weighted(global int* out, global const int* a, constant int* weights, int columns, int rows, int base) {
  size_t i = get_global_id(0);
  int own = base + (int)i;
  int even = own, odd = 7;
  global const int* last = a + (size_t)(rows - 1) * columns + i;
  for (int j = 0; j < rows - 1; j += 2) {
    even += weights[j & 15] * last[-(long)j * columns];
    odd -= weights[(j + 1) & 15] * last[-(long)(j + 1) * columns];
  }
  out[i] = own + even * 5 - odd;
}

// The condition is the same for all, and the sum may be in place.
kernel void in_place(global int* a, int columns, int rows, int wanted) {
  int i = get_global_id(0);
  int sum = 0;
  if (wanted > 0) {
    for (int j = 1; j < rows; j++)
      sum = 2 * sum - a[j * columns + i];
    a[i] += sum;
  }
}

// In two dimensions, of halves of the rows.
kernel void halves(global int* out, global const int* a, int columns, int rows) {
  int i = get_global_id(0), half_ = get_global_id(1);
  int sum = 0;
  for (int j = half_ * rows / 2; j < (half_ + 1) * rows / 2; j++)
    sum = 2 * sum + a[j * columns + i];
  out[half_ * columns + i] = sum;
}

// Rounds of the program's own loops read what rounds before them have written.
kernel void filtered(global int* data, int pitch, int taps, int rows) {
  const int i = get_global_id(0);
  for (int r = taps; r < rows; ++r) {
    int sum = 0, k = 0;
    do sum += data[(r - 1 - k) * pitch + i]; while (++k < taps);
    data[r * pitch + i] += sum;
  }
}

// Or go downwards, to the end of all numbers.
kernel void downwards(global int* out, global const int* in, uint columns, uint pitch, uint rows) {
  const uint i = get_global_id(0), count = get_global_size(0);
  for (uint c = columns - 1; c < columns; --c) {
    int sum = 0;
    uint k = 0;
    do sum += in[k * pitch + c * count + i]; while (++k < rows);
    out[c * count + i] = sum;
  }
}

// A loop around the sums may also run until a flag in memory says that it is enough.
kernel void until_enough(global int* out, global const int* in, global const int* enough, int pitch, int rows) {
  const int i = get_global_id(0);
  do {
    int sum = 0;
    for (int r = 0; r < rows; ++r) sum += in[r * pitch + i];
    out[i] = sum;
  } while (*enough == 0);
}

// Each sum is rounded as it was, whatever goes first.
kernel void rounded(global float* out, global const float* in, int pitch, int rows) {
#pragma OPENCL FP_CONTRACT OFF
  const int i = get_global_id(0);
  float sum = 0.0f, kept = 0.0f;
  for (int r = 0; r < rows; ++r) sum += in[r * pitch + i] * 1.0e8f;
  for (int r = 0; r < rows; ++r) {
    volatile float one = in[r * pitch + i] * 1.0e8f;
    kept += one;
  }
  out[i] = sum == kept ? 1.0f : 0.0f;
}
