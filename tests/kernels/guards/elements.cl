// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that a work-item accesses only where there are such, in launches of more work-items than elements.
// T: their type.
kernel void line(global const T* in, global T* out, int n) {
  int g = get_global_id(0);
  if (g < n) out[g] = in[g] + (T)1;
}

kernel void early(global const T* in, global T* out, uint n) {
  size_t g = get_global_id(0);
  if (g >= n) return;
  T x = in[g];
  if (x > (T)20) x -= in[g / 2];
  out[g] = x;
}

kernel void backwards(global const T* in, global T* out, int n) {
  int g = get_global_id(0);
  if (g < n) out[n - 1 - g] = in[n - 1 - g] + (T)1;
}

kernel void pairs(global const T* in, global T* out, int n) {
  int g = get_global_id(0);
  if (2 * g + 1 < n) {
    out[2 * g] = in[2 * g + 1];
    out[2 * g + 1] = in[2 * g];
  } else if (2 * g < n)
    out[2 * g] = in[2 * g];
}

kernel void threes(global const T* in, global T* out, int n) {
  int g = get_global_id(0);
  if (3 * g < n) {
    T x = in[3 * g], y = in[3 * g + 1], z = in[3 * g + 2];
    out[3 * g] = y;
    out[3 * g + 1] = z;
    out[3 * g + 2] = x;
  }
}

kernel void four(global const T* in, global T* out, int n) {
  int i = get_global_id(0) * 4;
  for (int k = 0; k < 4; ++k)
    if (i + k < n) out[i + k] = in[i + k] + (T)k;
}

kernel void far_four(global const T* in, global T* out, int n) {
  int g = get_global_id(0), all = get_global_size(0);
  for (int k = 0; k < 4; ++k)
    if (g + k * all < n) out[g + k * all] = in[g + k * all] + (T)k;
}

kernel void grid_stride(global const T* in, global T* out, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    out[i] = in[i] + (T)1;
}

kernel void part_of_group(global const T* in, global T* out, int n) {
  const int first = get_group_id(0) * 4 * get_local_size(0);
  for (int k = get_local_id(0); k < 4 * get_local_size(0); k += get_local_size(0))
    if (first + k < n) out[first + k] = in[first + k] + (T)1;
}

// Neighbours of which one or the other may not be there.
kernel void neighbours(global const T* in, global T* out, int n) {
  int g = get_global_id(0);
  if (g >= n) return;
  T x = in[g];
  if (g > 0) x += in[g - 1];
  if (g + 1 < n && in[g + 1] > (T)9) x += (T)1;
  out[g] = x;
}

kernel void clamped(global const T* in, global T* out, int n) {
  int g = get_global_id(0);
  if (g < n) out[g] = in[max(g - 2, 0)] + in[min(g + 3, n - 1)];
}

kernel void chosen(global const T* in, global T* out, int n) {
  int g = get_global_id(0);
  T left = g - 5 >= 0 && g - 5 < n ? in[g - 5] : (T)3, right = g + 7 < n ? in[g + 7] : (T)4;
  if (g < n) out[g] = left + right;
}

// Every second element, and every ninth.
kernel void strided(global const T* in, global T* out, int n) {
  int g = get_global_id(0);
  T x = 0;
  if (2 * g < n) x = in[2 * g];
  if (9 * g < n) x += in[9 * g];
  if (g < n) out[g] = x;
}

kernel void scattered(global const T* in, global T* out, int n) {
  int g = get_global_id(0);
  if (g < n && in[g] > (T)9) out[11 * g % n] = in[g];
}

// A row of a matrix for each work-item, and a column.
kernel void rows(global const T* in, global T* out, int n, int columns) {
  int g = get_global_id(0);
  if (g >= n) return;
  T sum = 0;
  for (int k = 0; k < columns; ++k)
    sum += in[g * columns + k];
  out[g] = sum;
}

kernel void columns(global const T* in, global T* out, int n, int rows) {
  int g = get_global_id(0);
  T sum = 0;
  if (g < n)
    for (int k = 0; k < rows; ++k)
      sum += in[k * n + g];
  if (g < n) out[g] = sum;
}

// One element for all, which there is only if some argument says so.
kernel void shared_element(global const T* in, global T* out, int n, int top) {
  int g = get_global_id(0);
  T x = 0;
  if (g < n) x = in[g];
  if (x > (T)9 && top < n) x += in[top];
  for (int k = 0; k < 3; ++k)
    if (x > (T)20 && top + k < n) x -= in[top + k];
  if (g < n) out[g] = x;
}
