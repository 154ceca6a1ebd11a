// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that have much of what they load in common run together, where they go the same way; others one by one.
kernel void around(global const int* in, global int* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
    out[y * w + x] = -in[y * w + x];
    return;
  }
  int sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) sum += (dx + 2) * (dy + 5) * in[(y + dy) * w + x + dx];
  out[y * w + x] = sum;
}

// From one end to the other.
kernel void around_the_edge(global const int* in, global int* out) {
  const int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  const int up = (y == 0 ? h - 1 : y - 1) * w, down = (y == h - 1 ? 0 : y + 1) * w;
  out[y * w + x] = in[up + x] + 10 * in[y * w + x] + 100 * in[down + x];
}

// Every third row goes its own way.
kernel void by_thirds(global const int* in, global int* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int below = min(y + 1, h - 1);
  if (y * 43691 >> 17 << 1 == y - (y * 43691 >> 17))
    out[y * w + x] = in[below * w + x] - in[y * w + x];
  else
    out[y * w + x] = in[below * w + x] + 2 * in[y * w + x];
}

// Half of the rows are not what rows at an edge are.
kernel void by_halves(global const int* in, global int* out, int w, int half_of_them) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int from = y < half_of_them ? y : 7;
  out[y * w + x] = in[from * w + x] + 3 * in[(from + 1) * w + x];
}

kernel void product(global const int* a, global const int* b, global int* out, int w, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * w + x];
  out[y * w + x] = sum;
}

// Rows decide by what they have loaded, and leave a loop after different rounds.
kernel void by_content(global const int* in, global int* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int below = min(y + 1, h - 1);
  int sum = in[below * w + x];
  for (int k = 0; k < y; ++k) sum += in[k * w + x];
  out[y * w + x] = in[y * w] > 50 ? sum : -sum;
}

// What rows look at only if they have loaded something is loaded by another row in any case.
kernel void if_wanted(global const int* in, global int* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int above = in[max(y - 1, 0) * w + x], below = in[min(y + 1, h - 1) * w + x];
  const bool live = above + below == 100 || (above > below && in[y * w + x] > 50);
  out[y * w + x] = live ? above : -below;
}

// And what no row would load but for that is not there.
kernel void if_there(global const int* in, global int* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  const int above = in[max(y - 1, 0) * w + x], below = in[min(y + 1, h - 1) * w + x];
  int more = in[y * w + x];
  if (above + below > 200) more += in[y * w + x + (1 << 30)];
  out[y * w + x] = above + 2 * below + 3 * more;
}

// A work-item's own memory is its own in each row.
kernel void in_place(global int* data, global const int* in, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1), i = y * w + x;
  data[i] = in[i];
  const int above = y > 0 ? in[i - w] : 0;
  data[i] += above + (y < h - 1 ? in[i + w] : 0);
}

// `again` is the same memory: what a work-item has written is what it loads, wanted or not.
kernel void written_between(global int* data, global const int* again, global const int* in, int w) {
  const int x = get_global_id(0), y = get_global_id(1), i = y * w + x;
  const int above = in[i], below = in[i + w], far = in[i + 2 * w];
  const int before = again[i];
  data[i] = before + 1000;
  int chosen = 7;
  if (above + below > 100) chosen = again[i];
  data[i] = chosen * 3 + before + above + below + far;
}

// What rows decide by is computed on many ways, and must not be looked at on each.
#define MIX(n) t ^= t >> (3 + n % 7); t += t << (1 + n % 5);
#define MIX4(n) MIX(n) MIX(n + 1) MIX(n + 2) MIX(n + 3)
kernel void mixed(global const int* in, global int* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  uint t = x < w ? y : y + h;
  MIX4(0) MIX4(4) MIX4(8) MIX4(12) MIX4(16) MIX4(20) MIX4(24) MIX4(28) MIX4(32) MIX4(36)
  int sum = in[y * w + x] + in[(y + 1) * w + x] + in[(y + 2) * w + x];
  if (t == 0xdeadbeef) sum *= in[(y + 1) * w];
  out[y * w + x] = sum;
}

// Four rows at once, but for those at an edge.
kernel void from_five(global const int* in, global int* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  int sum = 0;
  for (int dy = -2; dy <= 2; ++dy) sum += in[clamp(y + dy, 0, h - 1) * w + x];
  if (y != 17) out[y * w + x] = sum;
}
