// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of local memory that are filled by rows and read by columns, or the other way round.
#define TILE 16

kernel void square(global float* out, global const float* in, int w, int h) {
  local float tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1);
  tile[ly][lx] = in[get_global_id(1) * w + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int x = get_group_id(1) * TILE + lx, y = get_group_id(0) * TILE + ly;
  out[y * h + x] = tile[lx][ly];
}

// Rows of 17, and sizes that are no multiple of the tile's.
kernel void with_bounds(global int* out, global const int* in, int w, int h, local int* block) {
  unsigned x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) block[get_local_id(1) * (TILE + 1) + get_local_id(0)] = in[y * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * TILE + get_local_id(0);
  y = get_group_id(0) * TILE + get_local_id(1);
  if (x < h && y < w) out[y * h + x] = block[get_local_id(0) * (TILE + 1) + get_local_id(1)];
}

// Each tile within itself, perhaps in place.
kernel void within(global int* out, global const int* in) {
  local int tile[TILE * (TILE + 1)];
  const int lx = get_local_id(0), ly = get_local_id(1), i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  tile[ly * (TILE + 1) + lx] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[lx * (TILE + 1) + ly];
}

// What the tile holds tells who has filled it, and the result who reads it.
kernel void who(global int* out, global const int* in, int pitch) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  tile[ly][lx] = in[y * pitch + x] + 1000 * x + 3 * y + 7 * lx - ly;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[y * pitch + x] = tile[lx][ly] - 100000 * lx + x;
}

kernel void filled_by_columns(global int* out, global const int* in) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  tile[lx][ly] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[ly][lx];
}

kernel void own(global int* out, global const int* in) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  tile[lx][ly] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = 2 * tile[lx][ly];
}

// The elements that a work-item may read depend on what another one has read.
kernel void chosen(global int* out, global const int* in, global const int* at, int n) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  if (i < n) {
    const int from = at[i];
    if (from >= 0 && in[from] > 0) tile[ly][lx] = in[in[from]];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int other = (get_group_id(1) * TILE + lx) * get_global_size(0) + get_group_id(0) * TILE + ly;
  out[i] = other < n && at[other] >= 0 && in[at[other]] > 0 ? tile[lx][ly] : -1;
}

// One condition keeps a work-item from dividing by zero in the next one.
kernel void divided(global int* out, global const int* in, int n, uint d) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), i = get_global_id(1) * get_global_size(0) + x;
  if (x < n)
    if (1000 / (n - x) < 1001) tile[ly][lx] = in[i];
  if (d != 0)
    if ((uint)x % d < d) tile[ly][lx] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = (int)get_group_id(0) * TILE + ly < n || d != 0 ? tile[lx][ly] : -1;
}

kernel void modulo(global int* out, global const int* in, uint d) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), i = get_global_id(1) * get_global_size(0) + x;
  if (d != 0)
    if ((uint)x % d < 5) tile[ly][lx] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int v = tile[lx][ly];
  out[i] = d != 0 && (uint)(get_group_id(0) * TILE + ly) % d < 5 ? v : 7;
}

// A loop that has no header: what was stored in the round before may be read.
kernel void no_header(global int* out, global const int* in, int n, int m) {
  local int tile[TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  int t = 0;
  if (m) goto second;
first:
  t += n >> 3;
  barrier(CLK_LOCAL_MEM_FENCE);
second:
  if (((t ^ lx) & 1) == 0) tile[ly][lx] = in[i + 5 * t];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t <= n) goto first;
  out[i] = tile[lx][ly];
}

kernel void filled_by_columns_of_17(global int* out, global const int* in) {
  local int tile[TILE][TILE + 1];
  const int lx = get_local_id(0), ly = get_local_id(1), i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  tile[lx][ly] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[ly][lx];
}

// One product of tiles filled by columns, in rounds.
kernel void product(global int* c, global const int* a, global const int* b, int n, local int* ta) {
  local int tb[TILE][TILE + 1];
  const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  int sum = 0;
  for (int t = 0; t < n / TILE; ++t) {
    ta[ly * TILE + lx] = a[y * n + t * TILE + lx];
    tb[lx][ly] = b[(t * TILE + ly) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k) sum += ta[ly * TILE + k] * tb[lx][k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}
