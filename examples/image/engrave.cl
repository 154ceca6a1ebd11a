// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A photograph becomes an engraving: blurred (two passes), equalised by its own histogram, its edges inked.

// How far the blur reaches; its weights come from the host.
#define RADIUS 6
// Work-group sizes: the host is told by these numbers through reqd_work_group_size.
#define ROW 64
#define SIDE 16

float luma(uchar4 c) { return 0.299f * c.x + 0.587f * c.y + 0.114f * c.z; }

// Each work-group blurs ROW pixels of one row. The tile is read once from global memory, with its margins.
kernel __attribute__((reqd_work_group_size(ROW, 1, 1)))
void blurRows(global const uchar4* picture, global float* blurred, constant float* weights, int width, int height) {
  local float tile[ROW + 2 * RADIUS];
  const int x = get_global_id(0), y = get_global_id(1), l = get_local_id(0);
  const int start = get_group_id(0) * ROW - RADIUS;
  for (int i = l; i < ROW + 2 * RADIUS; i += ROW)
    tile[i] = luma(picture[y * width + clamp(start + i, 0, width - 1)]);
  barrier(CLK_LOCAL_MEM_FENCE);

  float sum = 0;
  for (int i = 0; i <= 2 * RADIUS; ++i) sum += weights[i] * tile[l + i];
  if (x < width) blurred[y * width + x] = sum;
}

// The same along columns, on SIDE x SIDE tiles.
kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void blurColumns(global const float* rows, global float* blurred, constant float* weights, int width, int height) {
  local float tile[SIDE + 2 * RADIUS][SIDE];
  const int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  const int start = get_group_id(1) * SIDE - RADIUS;
  for (int i = ly; i < SIDE + 2 * RADIUS; i += SIDE)
    tile[i][lx] = rows[clamp(start + i, 0, height - 1) * width + min(x, width - 1)];
  barrier(CLK_LOCAL_MEM_FENCE);

  float sum = 0;
  for (int i = 0; i <= 2 * RADIUS; ++i) sum += weights[i] * tile[ly + i][lx];
  if (x < width && y < height) blurred[y * width + x] = sum;
}

// Counts brightness: in local memory first, then each group adds its counts to the picture's.
kernel void histogram(global const float* brightness, global uint* counts, uint pixels) {
  local uint own[256];
  for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) own[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < pixels; i += get_global_size(0))
    atomic_inc(&own[convert_uchar_sat(brightness[i])]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
    if (own[i]) atomic_add(&counts[i], own[i]);
}

// One work-group of 256: running sums of the counts give the curve that makes all shades equally common.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void toneCurve(global const uint* counts, global float* curve, uint pixels) {
  local uint sums[256];
  const uint l = get_local_id(0);
  sums[l] = counts[l];
  for (uint step = 1; step < 256; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint left = l >= step ? sums[l - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l] += left;
  }
  // Half way between the picture's own shade and the equal one.
  curve[l] = 0.5f * l + 127.5f * sums[l] / pixels;
}

float at(global const float* plane, int x, int y, int width, int height) {
  return plane[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
}

// Sobel's gradient of the blurred picture becomes ink; the colour keeps its hue and takes its shade from the curve.
kernel void ink(global const uchar4* picture, global const float* blurred, global const float* curve,
                global uchar4* engraved, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const float a = at(blurred, x - 1, y - 1, width, height), b = at(blurred, x, y - 1, width, height),
              c = at(blurred, x + 1, y - 1, width, height), d = at(blurred, x - 1, y, width, height),
              e = at(blurred, x + 1, y, width, height), f = at(blurred, x - 1, y + 1, width, height),
              g = at(blurred, x, y + 1, width, height), h = at(blurred, x + 1, y + 1, width, height);
  const float across = c + 2 * e + h - a - 2 * d - f, down = f + 2 * g + h - a - 2 * b - c;
  const float paper = 1 - smoothstep(8.0f, 90.0f, sqrt(across * across + down * down));

  const uchar4 colour = picture[y * width + x];
  const float shade = luma(colour);
  const float gain = paper * curve[convert_uchar_sat(shade)] / max(shade, 1.0f);
  engraved[y * width + x] = (uchar4)(convert_uchar3_sat_rte(gain * convert_float3(colour.xyz)), colour.w);
}
