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
