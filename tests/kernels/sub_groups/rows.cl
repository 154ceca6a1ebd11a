// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sub-groups that have parts of several rows, of which each is in another place of memory.
kernel void rows(global const int* in, global const int* ofRow, global int* out, int pitch) {
  const int x = get_global_id(0), y = get_global_id(1);
  out[y * pitch + x] = in[y * pitch + x] * 3 + ofRow[y] + get_sub_group_local_id();
}

// Lanes at the begin of a row may not be live.
kernel void guarded(global const int* in, global const int* ofRow, global int* out, int pitch) {
  const int x = get_global_id(0), y = get_global_id(1);
  int value = -1;
  if (x > 2 && x < pitch - 3 && y != 5) value = in[y * pitch + x - 1] + ofRow[y] + get_sub_group_local_id();
  if (x != 8 || y % 2 == 0) out[y * pitch + x] = value;
}

// Places that depend on what lanes have seen in rounds of their own.
kernel void walked(global const int* in, global int* out, int pitch) {
  const int x = get_global_id(0), y = get_global_id(1);
  int sum = get_sub_group_local_id();
  for (int row = 0; row <= x % 5; ++row)
    sum += in[row * pitch + x];
  out[y * pitch + x] = sum;
}

// By unsigned numbers, of 64 bits, and backwards.
kernel void others(global const short* in, global short* out, uint pitch) {
  const uint x = get_global_id(0), y = get_global_id(1);
  const size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
  out[at] = in[y * pitch + x] + in[(pitch - 1 - x) + y * pitch] + get_max_sub_group_size();
}
