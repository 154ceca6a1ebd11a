// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops with barriers around which each work-item keeps a value, and tiles by whose shape a local size is guessed.
#ifdef REQUIRED
#define KERNEL __attribute__((reqd_work_group_size(16, 16, 1))) kernel void
#else
#define KERNEL kernel void
#endif

KERNEL product(global int* c, global const int* a, global const int* b, int n) {
  local int ta[16][16], tb[16][16];
  int x = get_local_id(0), y = get_local_id(1), size = get_local_size(0);
  int column = get_global_id(0), row = get_global_id(1), sum = 0;
  for (int t = 0; t < n; t += size) {
    ta[y][x] = a[row * n + t + x];
    tb[y][x] = b[(t + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < size; ++k)
      sum += ta[y][k] * tb[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

KERNEL padded(global int* out, global const int* in, int rounds) {
  local int tile[16][17];
  int x = get_local_id(0), y = get_local_id(1);
  int sum = 0;
  for (int t = 0; t < rounds; ++t) {
    tile[y][x] = in[get_global_id(1) * get_global_size(0) + get_global_id(0)] + t;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[x][y];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}

// Work-items of all rows count in the same places.
KERNEL counters(global int* out, int rounds) {
  local int bins[16][16];
  int x = get_local_id(0), y = get_local_id(1), sum = 0;
  for (int t = 0; t < rounds; ++t) {
    bins[y][x] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[0][(x * 7 + y * 3 + t) & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += bins[y][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}

// Rows read each other's whole.
KERNEL rows(global int* out, global const int* in, int rounds) {
  local int tile[16][16];
  int x = get_local_id(0), y = get_local_id(1);
  int i = get_global_id(1) * get_global_size(0) + get_global_id(0), value = in[i];
  for (int t = 0; t < rounds; ++t) {
    tile[y][x] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    value += tile[y ^ 1][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = value;
}
