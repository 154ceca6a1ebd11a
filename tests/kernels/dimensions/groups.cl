// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-groups whose rows lie along dimension 1: local memory, barriers, required sizes and atomics know no order.

// Each work-item takes what the one at the opposite end of its group has brought.
void turn(global int* out, global const int* in, local int* tile) {
  const size_t lx = get_local_id(0), ly = get_local_id(1), nx = get_local_size(0), ny = get_local_size(1);
  const size_t at = get_global_id(0) * get_global_size(1) + get_global_id(1);
  tile[lx * ny + ly] = in[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[at] = tile[(nx - 1 - lx) * ny + ny - 1 - ly] + (int)lx;
}

kernel void turned_group(global int* out, global const int* in, local int* tile) { turn(out, in, tile); }

kernel __attribute__((reqd_work_group_size(2, 16, 1))) void required_size(global int* out, global const int* in) {
  local int tile[32];
  turn(out, in, tile);
}

kernel __attribute__((reqd_work_group_size(1, 64, 1))) void required_row(global int* out, global const int* in) {
  local int tile[64];
  const size_t at = get_group_id(0) * get_global_size(1) + get_global_id(1);
  tile[get_local_id(1)] = in[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[at] = tile[63 - get_local_id(1)];
}

// Nothing asks which work-item of dimension 0 it is. A group has four rows, which it turns upside down, and moves by one.
kernel void columns_of_groups(global int* out, global const int* in, local int* tile) {
  const size_t l = get_local_id(1), n = get_local_size(1), width = get_global_size(1);
  const size_t x = get_group_id(1) * n + l, first = get_group_id(0) * 4;
  for (int r = 0; r < 4; ++r)
    tile[r * n + l] = in[(first + r) * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r = 0; r < 4; ++r)
    out[(first + r) * width + x] = tile[(3 - r) * n + (l + 1) % n];
}

kernel void counted(global int* out) {
  local int count;
  if (get_local_id(0) == 0 && get_local_id(1) == 0)
    count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&count);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0) * get_global_size(1) + get_global_id(1)] = count;
}

kernel void product(global int* c, global const int* a, global const int* b, int n) {
  const int row = get_global_id(0), column = get_global_id(1);
  int sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
