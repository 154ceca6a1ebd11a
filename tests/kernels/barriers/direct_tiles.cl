// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of local memory that may be read where their contents come from, and some that may not.
#define TILE 16

kernel void product(global int* c, global const int* a, global const int* b, int n) {
  local int ta[TILE][TILE], tb[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  int sum = 0;
  for (int t = 0; t < n / TILE; ++t) {
    ta[ly][lx] = a[row * n + t * TILE + lx];
    tb[ly][lx] = b[(t * TILE + ly) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k) sum += ta[ly][k] * tb[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = sum;
}

// Rows of tiles are longer than what is filled, which is as much as there are work-items.
kernel void padded(global int* c, global const int* a, global const int* b, int n) {
  local int ta[TILE][TILE + 1], tb[TILE][TILE + 1];
  const int lx = get_local_id(0), ly = get_local_id(1), size = get_local_size(0);
  const int col = get_global_id(0), row = get_global_id(1);
  int sum = 0;
  for (int t = 0; t < n; t += size) {
    ta[ly][lx] = a[row * n + t + lx];
    tb[ly][lx] = b[(t + ly) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < size; ++k) sum += ta[ly][k] * tb[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = sum;
}

// What a tile holds is computed from where it stands, in the group and in all.
kernel void computed(global int* out, global const int* in, int n) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  int sum = 0;
  for (int t = 0; t < n; ++t) {
    tile[ly][lx] = in[row * 53 + col + t] * (3 * ly + 1) + (int)get_global_size(0) * t + (row ^ t);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 3; k < TILE; k += 2) sum += tile[k][lx] * (k + row) + tile[15][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[row * get_global_size(0) + col] = sum;
}

// Lanes would gather.
kernel void transposed(global int* out, global const int* in, int n) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  int sum = 0;
  for (int t = 0; t < n; ++t) {
    tile[ly][lx] = in[(row + t) % n * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[lx][ly] * (t + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[row * n + col] = sum;
}

// The group writes what it has read, and reads it again.
kernel void in_rounds(global int* data, int n, int rounds) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), i = get_global_id(1) * n + get_global_id(0);
  for (int t = 0; t < rounds; ++t) {
    tile[ly][lx] = data[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < TILE; ++k) sum += tile[ly][k] * (k - 7) + tile[k][lx];
    data[i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// A tile is filled from the one before.
kernel void filled_in_turn(global int* out, global const int* in, int n) {
  local int first[TILE][TILE], second[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  int sum = 0;
  for (int t = 0; t < n; ++t) {
    first[ly][lx] = in[(row + t) % n * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    second[ly][lx] = first[15 - ly][lx] + ly;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k) sum += second[k][lx] * (k + t);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[row * n + col] = sum;
}

// Work-groups in any place of any launch, many of which run as one.
#ifdef REQUIRED
__attribute__((reqd_work_group_size(TILE, TILE, 1)))
#endif
kernel void columns(global int* c, constant int* a, int n, int pitch) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), size = get_local_size(1);
  const int col = get_global_id(0), row = get_global_id(1);
  int sum = 0;
  for (int t = 0; t < n; ++t) {
    tile[ly][lx] = a[(t * TILE + ly) * pitch + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < size; ++k) sum += tile[k][lx] * (k + row + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[(get_global_id(2) * 64 + row) * pitch + col] = sum;
}

kernel void wide(global int* c, global const int* a, int n, int pitch) {
  local int tile[4][32];
  const int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  int sum = 0;
  for (int t = 0; t < n; ++t) {
    tile[ly][lx] = a[(t * 4 + ly) * pitch + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; ++k) sum += tile[k][lx] * (k + row + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * pitch + col] = sum;
}

// Two work-items write one place, in an order that barriers keep.
kernel void clears_first(global int* last, global const int* a, int n) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  const int width = get_global_size(0);
  last[(row ^ 15) * width + col] = -1;
  int sum = 0;
  for (int t = 0; t < n; ++t) {
    tile[ly][lx] = a[(t * TILE + ly) * width + col];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k) sum += tile[k][lx] * (k + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  last[row * width + col] = sum;
}

kernel void writes_in_turn(global int* last, global const int* a, int n) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  const int width = get_global_size(0);
  int sum = 0;
  for (int t = 0; t < n; ++t) {
    tile[ly][lx] = a[(t * TILE + ly) * width + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k) sum += tile[k][lx];
    last[((row & ~15) | (row + t & 15)) * width + col] = sum + t;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}

// Half of the tile is from the round before.
kernel void filled_by_halves(global int* c, global const int* a, int n) {
  local int some[TILE][TILE], all[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  const int width = get_global_size(0);
  int sum = 0;
  for (int t = 0; t < n; ++t) {
    all[ly][lx] = a[(t * TILE + ly) * width + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k) sum += all[k][lx];
    if (((col ^ t) & 1) == 0) {
      some[ly][lx] = a[row * width + t * TILE + lx];
      if (t > 0) sum += some[ly][(t + 1) & 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * width + col] = sum;
}
