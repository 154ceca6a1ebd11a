// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %report %s --cpu x86-64-v4 | FileCheck --check-prefixes=CHECK,SLOW %s
// RUN: %report %s --cpu znver5 | FileCheck --check-prefixes=CHECK,SLOW %s
// RUN: %report %s --cpu x86-64-v3 | %check
// RUN: %report %s --cpu skylake-avx512 | FileCheck --check-prefix=FAST %s
// RUN: %report %s --cpu x86-64-v4 --options -clotho-width=4 | FileCheck --check-prefix=FOUR %s
// A kernel stays scalar if its vectors clearly take longer than work-items one after the other would, by the costs of
// what was written: gathers and scatters, and what each lane does alone. Who asks for a width gets it.

// Three gathers for an addition, and lanes leave in different rounds.
// CHECK: kernel sparse: 1 work-item at once, because what each lane loads, stores or does alone takes longer than work-items one after the other
// FOUR: kernel sparse: 4 work-items at once
kernel void sparse(global float* y, global const int* start, global const int* columns, global const float* values,
                   global const float* x, int rows) {
  const int row = get_global_id(0);
  if (row >= rows) return;
  float sum = 0;
  for (int i = start[row]; i < start[row + 1]; ++i)
    sum += values[i] * x[columns[i]];
  y[row] = sum;
}

// As many rounds in each lane: three gathers for a multiplication and an addition are a loss where each lane of them
// takes long.
// SLOW: kernel together: 1 work-item at once, because what each lane
// FAST: kernel together: 16 work-items at once
kernel void together(global float* y, global const int* columns, global const float* values, global const float* x,
                     int width) {
  const int row = get_global_id(0);
  const int start = columns[row] * 3;
  float sum = 0;
  for (int i = 0; i < width; ++i)
    sum += values[start + i] * x[columns[start + i]];
  y[row] = sum;
}

// What makes a lane leave, or go left or right, is loaded: a processor would guess it wrongly.
// CHECK: kernel search: {{16|8}} work-items at once
kernel void search(global int* found, global const uint* keys, global const uint* sorted, int n) {
  const int i = get_global_id(0);
  int low = 0, high = n - 1, where = -1;
  while (low <= high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] == keys[i]) {
      where = middle;
      break;
    }
    if (sorted[middle] < keys[i])
      low = middle + 1;
    else
      high = middle - 1;
  }
  found[i] = where;
}

// Each round waits for the load of the one before; lanes wait at the same time.
// CHECK: kernel chase: {{16|8}} work-items at once
kernel void chase(global int* out, global const int* next, global const int* prices, global const int* rounds) {
  const int i = get_global_id(0);
  int at = i, sum = 0;
  for (int k = rounds[i]; k > 0; --k) {
    at = next[at];
    sum += prices[at];
  }
  out[i] = sum;
}

// There is enough to compute, and that goes faster in vectors.
// CHECK: kernel busy: {{16|8}} work-items at once
#define MIX(x) x = (x ^ x << 13) * 0x9e3779b1u + (x >> 7)
#define MIX4(x) MIX(x), MIX(x), MIX(x), MIX(x)
kernel void busy(global uint* out, global const int* start, global const uint* values, global const uint* keys) {
  const int i = get_global_id(0);
  uint sum = 0;
  for (int k = start[i]; k < start[i + 1]; ++k) {
    uint x = values[k] ^ keys[k];
    MIX4(x), MIX4(x), MIX4(x);
    sum += x;
  }
  out[i] = sum;
}

// Counters of each work-item's own: a gather from where a scatter has just stored.
// CHECK: kernel counters: 1 work-item at once, because what each lane
// FOUR: kernel counters: 4 work-items at once
kernel void counters(global const uchar* in, global uint* counts, int each) {
  uint bins[256];
  for (int i = 0; i < 256; ++i)
    bins[i] = 0;
  global const uchar* mine = in + get_global_id(0) * each;
  for (int i = 0; i < each; ++i)
    bins[mine[i]]++;
  for (int i = 0; i < 256; ++i)
    if (bins[i]) atomic_add(counts + i, bins[i]);
}

// Counters of the work-group become copies for lanes, which cost little.
// CHECK: kernel shared_counters: {{32|16}} work-items at once
kernel void shared_counters(global const uchar* values, global uint* counts, int n) {
  local uint bins[256];
  for (int k = get_local_id(0); k < 256; k += get_local_size(0))
    bins[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = get_global_id(0); k < n; k += get_global_size(0))
    atomic_inc(bins + values[k]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = get_local_id(0); k < 256; k += get_local_size(0))
    atomic_add(counts + k, bins[k]);
}

// A loop that loses does not keep a kernel scalar whose rest gains more.
// CHECK: kernel margins: {{16|8}} work-items at once
kernel void margins(global const float* in, global float* out, int w, int h) {
  local float tile[18 * 18];
  const int lx = get_local_id(0), ly = get_local_id(1);
  const int x0 = get_group_id(0) * 16 - 1, y0 = get_group_id(1) * 16 - 1;
  for (int i = ly * 16 + lx; i < 18 * 18; i += 256) {
    const int x = x0 + i % 18, y = y0 + i / 18;
    tile[i] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int x = get_global_id(0), y = get_global_id(1);
  local float* t = tile + (ly + 1) * 18 + lx + 1;
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1) out[y * w + x] = 4 * t[0] - t[-18] - t[18] - t[-1] - t[1];
}

// A sum of a product is one operation, also in vectors of several registers.
// CHECK: kernel chain: {{4|8|16}} work-items at once
kernel void chain(global float16* out, float16 a, float16 b) {
  float16 x = out[get_global_id(0)];
  for (int k = 0; k < 64; k++)
    x = x * a + b;
  out[get_global_id(0)] = x;
}

// Each lane writes along a row of its own, and processors fetch fewer streams of lines ahead than there are lanes.
// CHECK: kernel sums_of_rows: 1 work-item at once, because what each lane
// CHECK: kernel sums_of_colours: 1 work-item at once, because what each lane
kernel void sums_of_rows(global int* out, global const uchar* in, int width) {
  const int y = get_global_id(0);
  int sum = 0;
  for (int x = 0; x < width; ++x) {
    sum += in[mad24(y, width, x)];
    out[mad24(y, width, x)] = sum;
  }
}
kernel void sums_of_colours(global uint4* out, global const uchar4* in, int width) {
  const int y = get_global_id(0);
  uint4 sum = 0;
  for (int x = 0; x < width; ++x) {
    sum += convert_uint4(in[y * width + x]);
    out[y * width + x] = sum;
  }
}
