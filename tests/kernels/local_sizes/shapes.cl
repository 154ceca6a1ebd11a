// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-groups with short rows, and rows that kernels divide into several: variants for such a local size may count
// work-items by another one, which results do not show.

// What the work-item at the opposite end of the group has brought, and all that a work-item is told.
kernel void turned(global int* out, global const int* in, local int* tile) {
  const int lx = get_local_id(0), ly = get_local_id(1), nx = get_local_size(0), ny = get_local_size(1);
  const int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  tile[ly * nx + lx] = in[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[y * width + x] = tile[(ny - 1 - ly) * nx + nx - 1 - lx];
}

kernel void told(global int* out, local int* tile) {
  const size_t l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1) * get_local_size(2);
  tile[l] = get_local_id(0) + 10 * get_local_id(1) + 1000 * get_local_id(2) + 10000 * get_group_id(0) +
            100000 * get_group_id(1) + 1000000 * get_group_id(2);
  barrier(CLK_LOCAL_MEM_FENCE);
  // From the next work-item of the group and back: the barriers are what makes the kernel one with versions.
  const int next = tile[(l + 1) % n];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[(l + 1) % n] = next;
  barrier(CLK_LOCAL_MEM_FENCE);
  const size_t y = get_global_id(1), z = get_global_id(2);
  out[(z * get_global_size(1) + y) * get_global_size(0) + get_global_id(0)] =
      tile[l] + (get_num_groups(0) == get_global_size(0) / get_enqueued_local_size(0) ? 0 : -1);
}

// Rows of 16 in groups of one dimension, which are transposed.
kernel void rows_of_16(global int* out, global const int* in, local int* tile) {
  const int l = get_local_id(0), row = l / 16, column = l % 16, rows = get_local_size(0) / 16;
  tile[column * rows + row] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[l];
}

kernel void rows_by_bits(global int* out, global const int* in, local int* tile) {
  const uint l = get_local_id(0), first = l & ~31u, column = l & 31, row = get_global_id(0) >> 5;
  tile[first + (column ^ 1)] = in[row * 32 + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[l] + row;
}

kernel void rows_of_24(global int* out, global const int* in, local int* tile) {
  const int l = get_local_id(0), row = get_global_id(0) / 24;
  tile[l / 24 * 24 + 23 - l % 24] = in[row * 24 + l % 24];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[l];
}

// Ids that are kept in a byte begin again every 256 work-items.
kernel void bytes(global int* out, local int* tile) {
  const int l = get_local_id(0);
  const uchar g = get_global_id(0);
  tile[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[l / 16 * 16 + l % 16] += g / 16 + 1000 * (g % 16);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[l];
}
