// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches that one work-item of a row takes, with addresses that follow from which one it is.
kernel void local_id(global const int* in, global int* out, int c) {
  int l = get_local_id(0), g = get_global_id(0), n = get_global_size(0);
  out[g] = in[g];
  if (l == c)
    out[g] = in[n - 1 - g] + in[l * 5];
}

kernel void sums(global const int* in, global int* out, int c) {
  int l = get_local_id(0), g = get_global_id(0), n = get_global_size(0);
  out[g] = in[g];
  if (l + 2 == c + 2 && g >= 0)
    out[g] = in[n - 1 - g] + in[max(l * 4 - 3, 0)];
  else if (l - 7 == c)
    out[g] = 3 * in[n - 1 - g];
}

kernel void unequal(global const int* in, global int* out, int c) {
  size_t l = get_local_id(0), g = get_global_id(0), n = get_global_size(0);
  out[g] = in[g];
  if (l != c)
    return;
  out[g] = in[n - 1 - g] + in[l * 5];
}

kernel void global_id(global const int* in, global int* out, int c) {
  int l = get_local_id(0), g = get_global_id(0), n = get_global_size(0);
  out[g] = in[g];
  if (g == c)
    out[g] = in[n - 1 - g] + in[l * 2];
}

// Without asking for anything local.
kernel void global_id_alone(global const int* in, global int* out, int c) {
  size_t g = get_global_id(0), n = get_global_size(0);
  out[g] = in[g];
  if ((int)g == c)
    out[g] = in[n - 1 - g];
}

kernel void lower_bits(global const int* in, global int* out, uchar c) {
  int l = get_local_id(0), g = get_global_id(0), n = get_global_size(0);
  out[g] = in[g];
  if ((uchar)l == c)
    out[g] = in[n - 1 - g] + in[l];
}

// Ids of more than 32 bits.
kernel void far_offset(global const int* in, global int* out, int c) {
  size_t g = get_global_id(0), first = get_global_offset(0), l = get_local_id(0);
  out[g - first] = in[g - first];
  if ((int)g == c)
    out[g - first] = in[(g >> 32) + 2] + in[l * 2];
}

kernel void edges(global const int* in, global int* out, local int* tile) {
  int lx = get_local_id(0), ly = get_local_id(1), sx = get_local_size(0), sy = get_local_size(1), pitch = sx + 2;
  int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  local int* row = tile + (ly + 1) * pitch + 1;
  row[lx] = in[y * w + x];
  if (lx == 0)
    row[-1] = in[y * w + max(x - 1, 0)];
  if (lx == sx - 1)
    row[sx] = in[y * w + min(x + 1, w - 1)];
  if (ly == 0) {
    row[lx - pitch] = in[max(y - 1, 0) * w + x];
    if (lx == 0)
      row[-1 - pitch] = in[max(y - 1, 0) * w + max(x - 1, 0)];
    if (lx == sx - 1)
      row[sx - pitch] = in[max(y - 1, 0) * w + min(x + 1, w - 1)];
  }
  if (ly == sy - 1) {
    row[lx + pitch] = in[min(y + 1, h - 1) * w + x];
    if (lx == 0)
      row[pitch - 1] = in[min(y + 1, h - 1) * w + max(x - 1, 0)];
    if (lx == sx - 1)
      row[sx + pitch] = in[min(y + 1, h - 1) * w + min(x + 1, w - 1)];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[y * w + x] = row[lx - 1 - pitch] + 2 * row[lx + 1 - pitch] + 3 * row[lx - 1] + 4 * row[lx + 1 + pitch] +
                   5 * row[lx - 1 + pitch] + 6 * row[lx - pitch] + 7 * row[lx + pitch];
}

// On the diagonal, in a loop that goes along it.
kernel void diagonal(global const int* in, global int* out) {
  int lx = get_local_id(0), ly = get_local_id(1), w = get_global_size(0), x = get_global_id(0), y = get_global_id(1);
  int sum = 0;
  for (int k = 0; k < 4; ++k)
    if (lx == ly + k)
      sum += in[lx * 3 + k] * (k + 1) + in[y * w + x];
  out[y * w + x] = sum;
}
