// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of local memory that loops of the whole group fill, with margins; each element is read where it comes from.
#define TILE 16
#define SIDE 18

// By the linear local id.
kernel void linear(global int* out, global const int* in, int w, int h) {
  local int tile[SIDE * SIDE];
  const int lx = get_local_id(0), ly = get_local_id(1);
  const int x0 = get_group_id(0) * TILE - 1, y0 = get_group_id(1) * TILE - 1;
  for (int i = ly * TILE + lx; i < SIDE * SIDE; i += TILE * TILE) {
    const int x = x0 + i % SIDE, y = y0 + i / SIDE;
    tile[i] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : -5;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  local const int* t = tile + (ly + 1) * SIDE + lx + 1;
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) out[y * w + x] = t[0] + 2 * t[-SIDE] + 3 * t[SIDE] + 5 * t[-1] + 7 * t[1] + 11 * t[SIDE + 1];
}

// What is read is inside wherever it is read.
kernel void linear_inside(global int* out, global const int* in, int w, int h) {
  local int tile[SIDE * SIDE];
  const int lx = get_local_id(0), ly = get_local_id(1);
  const int x0 = get_group_id(0) * TILE - 1, y0 = get_group_id(1) * TILE - 1;
  for (int i = ly * TILE + lx; i < SIDE * SIDE; i += TILE * TILE) {
    const int x = x0 + i % SIDE, y = y0 + i / SIDE;
    tile[i] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  local const int* t = tile + (ly + 1) * SIDE + lx + 1;
  const int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
    out[y * w + x] = t[0] + 2 * t[-SIDE] + 3 * t[SIDE] + 5 * t[-1] + 7 * t[1] + 11 * t[SIDE + 1];
}

// By both local ids, in two loops; what is outside is at the edge; read by loops.
kernel void rows_and_columns(global int* out, global const int* in, int w, int h) {
  local int tile[SIDE][SIDE];
  const int lx = get_local_id(0), ly = get_local_id(1);
  const int x0 = get_group_id(0) * TILE - 1, y0 = get_group_id(1) * TILE - 1;
  for (int j = ly; j < SIDE; j += TILE)
    for (int i = lx; i < SIDE; i += TILE)
      tile[j][i] = in[clamp(y0 + j, 0, h - 1) * w + clamp(x0 + i, 0, w - 1)];
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) sum += tile[ly + dy][lx + dx] * (1 + dx + 4 * dy);
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) out[y * w + x] = sum;
}

// Four rows a work-item, read transposed.
kernel void four_rows(global int* out, global const int* in, int w, int h) {
  local int tile[32][33];
  const int lx = get_local_id(0), ly = get_local_id(1);
  int x = get_group_id(0) * 32 + lx, y = get_group_id(1) * 32 + ly;
  for (int j = 0; j < 32; j += 8) tile[ly + j][lx] = in[(y + j) * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 32 + lx;
  y = get_group_id(0) * 32 + ly;
  for (int j = 0; j < 32; j += 8) out[(y + j) * h + x] = tile[lx][ly + j];
}

// In each round of a loop around, with what it knows.
kernel void rounds(global int* out, global const int* in, int n) {
  local int tile[SIDE * TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), width = get_global_size(0);
  int sum = 0;
  for (int t = 0; t < n; ++t) {
    for (int i = ly * TILE + lx; i < SIDE * TILE; i += TILE * TILE)
      tile[i] = in[(get_group_id(1) * TILE + (i >> 4)) * width + get_group_id(0) * TILE + (i & 15) + t] * (t + 1) + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[ly * TILE + lx] - 3 * tile[(ly + 2) * TILE + lx] + tile[ly * TILE + 15];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(1) * width + get_global_id(0)] = sum;
}

// Not by its place alone: what a work-item stores has its own id in it, apart from the element's number.
kernel void by_work_item(global int* out, global const int* in, int w) {
  local int tile[SIDE * SIDE];
  const int lx = get_local_id(0), ly = get_local_id(1);
  for (int i = ly * TILE + lx; i < SIDE * SIDE; i += TILE * TILE) tile[i] = in[i] * 100 + lx;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(1) * w + get_global_id(0)] = tile[ly * SIDE + lx + 2];
}

// What is read is not all of what is filled, for the bound of the loop leaves the last elements out.
kernel void part(global int* out, global const int* in, int w, int h) {
  local int tile[SIDE][SIDE];
  const int lx = get_local_id(0), ly = get_local_id(1);
  for (int j = ly; j < SIDE; j += TILE)
    for (int i = lx; i < SIDE - 1; i += TILE) tile[j][i] = in[(get_group_id(1) * TILE + j) * w + get_group_id(0) * TILE + i];
  if (lx == 0)
    for (int j = ly; j < SIDE; j += TILE) tile[j][SIDE - 1] = j;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(1) * w + get_global_id(0)] = tile[ly + 2][lx + 2];
}

// What a short loop sums up is used behind it, in a kernel whose groups do not go together.
kernel void sums_transposed(global int* out, global const int* in, int w, int h) {
  local int tile[SIDE][SIDE];
  const int lx = get_local_id(0), ly = get_local_id(1), x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE;
  for (int j = ly; j < SIDE; j += TILE)
    for (int i = lx; i < SIDE; i += TILE) tile[j][i] = in[(y0 + j) * w + x0 + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int d = 0; d < 3; ++d) sum += tile[ly + d][lx];
  out[(x0 + ly) * h + y0 + lx] = sum;
}

// Places of bytes and of truth values, neither of which has a sign.
kernel void narrow_places(global int* out, global const int* in, global const uchar* which, int w) {
  local int tile[384];
  const int lx = get_local_id(0), ly = get_local_id(1), i0 = get_global_id(1) * w + get_global_id(0);
  for (int i = ly * TILE + lx; i < 384; i += TILE * TILE) tile[i] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i0] = tile[which[i0] + 128] * 1000 + tile[ly * TILE + lx + (which[i0] > 99)];
}

// The second tile is filled by what each work-item has read from the first.
kernel void tile_of_tile(global int* out, global const int* in, int w) {
  local int a[320], b[320];
  const int lx = get_local_id(0), ly = get_local_id(1), own = ly * TILE + lx;
  for (int i = own; i < 320; i += TILE * TILE) a[i] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int v = a[own + 3];
  for (int i = own; i < 320; i += TILE * TILE) b[i] = v * 8 + i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(1) * w + get_global_id(0)] = b[own + 7] + b[own + 23] + b[own + 39];
}

// What is read from one tile says where to read in the other.
kernel void place_in_tile(global int* out, global const int* in, global const char* where, int w) {
  local char a[320];
  local int b[320];
  const int lx = get_local_id(0), ly = get_local_id(1), own = ly * TILE + lx;
  for (int i = own; i < 320; i += TILE * TILE) a[i] = where[i];
  for (int i = own; i < 320; i += TILE * TILE) b[i] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(1) * w + get_global_id(0)] = b[a[own + 3] + 128] - b[own + 16];
}

// A loop that ends by two numbers.
kernel void two_ends(global int* out, global const int* in, int w) {
  local int tile[304];
  const int lx = get_local_id(0), ly = get_local_id(1);
  for (int i = lx;; i += TILE) {
    if (i == 300 || i >= 304) break;
    tile[i] = in[i] + 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(1) * w + get_global_id(0)] = tile[ly * TILE + lx + 16];
}
