// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is looked up in tables of different lengths, by indices that are in them only where the program has asked.

kernel void rows_of_matrix(global const float* values, global float* out, global const int* begins,
                           global const int* columns, global const float* x, int rows) {
  const int g = get_global_id(0);
  if (g >= rows) return;
  float sum = 0;
  for (int k = begins[g]; k < begins[g + 1]; ++k)
    sum += values[k] * x[columns[k]];
  out[g] = sum;
}

kernel void part_of_row(global const float* values, global float* out, global const int* begins,
                        global const int* columns, global const float* x, int rows) {
  local float t[64];
  const int l = get_local_id(0), row = get_global_id(0) / 8, first = l % 8;
  float sum = 0;
  if (row < rows)
    for (int k = begins[row] + first; k < begins[row + 1]; k += 8)
      sum += values[k] * x[columns[k]];
  t[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (first == 0 && row < rows) {
    for (int k = 1; k < 8; ++k)
      sum += t[l + k];
    out[row] = sum;
  }
}

kernel void searched(global const int* sorted, global int* out, int n, int items) {
  const int g = get_global_id(0);
  if (g >= items) return;
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < 3 * g)
      low = middle + 1;
    else
      high = middle;
  }
  out[g] = low < n && sorted[low] == 3 * g ? low : -1;
}

kernel void matched(global const uchar* text, global int* out, int n, constant uchar* pattern, int length) {
  const int g = get_global_id(0);
  if (g >= n) return;
  int k = 0;
  while (k < length && g + k < n && text[g + k] == pattern[k])
    ++k;
  out[g] = k;
}

kernel void looked_up(global const uchar* in, global int* out, int n, constant ushort* table, int length) {
  const int g = get_global_id(0);
  int x = -1;
  if (g < n && in[g] < length) x = table[in[g]];
  if (g < n) out[g] = x;
}

kernel void followed(global const int* next, global int* out, int n) {
  const int g = get_global_id(0);
  int i = g, steps = 0;
  while (i < n && steps < 10) {
    i = next[i];
    ++steps;
  }
  if (g < n) out[g] = steps;
}

kernel void colours(global const uchar4* in, global uchar4* out, int n) {
  const int g = get_global_id(0);
  if (g < n) out[g] = in[g].w > 24 ? in[g].zyxw : in[g];
}

kernel void weighted(global const short* in, global short* out, int n, constant short* weights, int taps) {
  const int g = get_global_id(0);
  int sum = 0;
  for (int k = 0; k < taps; ++k)
    if (g + k - taps / 2 >= 0 && g + k - taps / 2 < n) sum += in[g + k - taps / 2] * weights[k];
  if (g < n) out[g] = sum;
}
