// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of as many rounds for all work-items, in which a counter of their own is compared with limits. Counts how often
// it is within them, and adds up where.
#define WITHIN(place) within++, far += number[place] // a branch: no pass loads without asking
#define RESULT out[get_global_id(0)] = 1000 * within + far
#define BEGIN int within = 0, far = 0, i = get_global_id(0)

kernel void below(global int* out, global const int* number, int n, int limit) {
  BEGIN;
  for (int j = 0; j < n; ++j)
    if (i * n + j < limit) WITHIN(j);
  RESULT;
}

kernel void not_above(global int* out, global const int* number, int n, int limit) {
  BEGIN;
  for (int j = 0; j < n; ++j) {
    int k = i * n + j;
    if (k > limit) continue;
    WITHIN(j);
  }
  RESULT;
}

kernel void at_least(global int* out, global const int* number, int n, int limit) {
  BEGIN;
  for (int j = 0; j < n; ++j)
    if (limit <= i * n + j) WITHIN(j);
  RESULT;
}

// Neighbours, some of which are beside the row.
kernel void neighbours(global int* out, global const int* number, int radius, int width) {
  BEGIN;
  for (int d = -radius; d <= radius; ++d)
    if (i + d >= 0 && i + d < width) WITHIN(d + radius);
  RESULT;
}

// One unsigned comparison tests both ends.
kernel void neighbours_of_many(global int* out, global const int* number, int radius) {
  BEGIN;
  for (int d = -radius; d <= radius; ++d)
    if (i + d >= 0 && i + d < 100) WITHIN(d + radius);
  RESULT;
}

kernel void beside(global int* out, global const int* number, int radius, int width) {
  BEGIN;
  for (int d = -radius; d <= radius; ++d) {
    if (i + d < 0 || i + d >= width) continue;
    WITHIN(d + radius);
  }
  RESULT;
}

kernel void backwards(global int* out, global const int* number, int n, int limit) {
  BEGIN;
  for (int j = n - 1; j >= 0; --j)
    if (i * n + j < limit) WITHIN(j);
  RESULT;
}

kernel void every_third(global int* out, global const int* number, int n, int limit) {
  BEGIN;
  for (int j = 0; j < n; ++j)
    if (i * 3 * n + 3 * j < limit) WITHIN(j);
  RESULT;
}

kernel void own_limit(global int* out, global const int* number, global const int* limits, int n) {
  BEGIN;
  int limit = limits[i];
  for (int j = 0; j < n; ++j)
    if (i + j < limit) WITHIN(j);
  RESULT;
}

kernel void long_counter(global int* out, global const int* number, long n, long limit) {
  BEGIN;
  for (long j = 0; j < n; ++j)
    if ((long)i * n + j < limit) WITHIN((int)j);
  RESULT;
}

// Wraps around between -1 and 0.
kernel void unsigned_limit(global int* out, global const int* number, int n, uint limit) {
  BEGIN;
  for (int j = 0; j < n; ++j)
    if ((uint)(i - 100 + j) < limit) WITHIN(j);
  RESULT;
}

kernel void wraps(global int* out, global const int* number, uint base, uint n, uint limit) {
  BEGIN;
  for (uint j = 0; j < n; ++j)
    if (base + i * n + j < limit) WITHIN((int)j);
  RESULT;
}

// One of two ways for each element.
kernel void otherwise(global int* out, global const int* number, int n, int limit) {
  BEGIN;
  for (int j = 0; j < n; ++j)
    if (i * n + j < limit)
      WITHIN(j);
    else
      far -= 1;
  RESULT;
}

kernel void some_work_items(global int* out, global const int* number, int n, int limit) {
  BEGIN;
  if (i % 5 != 3)
    for (int j = 0; j < n; ++j)
      if (i * n + j < limit) WITHIN(j);
  RESULT;
}

// The test is not made in all rounds; where it is not, the counter may be anything.
kernel void seldom(global int* out, global const int* number, global const int* big, int n, int limit) {
  BEGIN;
  for (int j = 0; j < n; ++j)
    if (big[j] < 2)
      if (i * n + j < limit) WITHIN(j);
  RESULT;
}

kernel void leaves_early(global int* out, global const int* number, int n, int limit) {
  BEGIN;
  for (int j = 0; j < n; ++j) {
    if (i * n + j < limit) WITHIN(j);
    if ((i + j) % 50 == 49) break;
  }
  RESULT;
}

kernel void rows(global int* out, global const int* number, int radius, int width) {
  BEGIN;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      int x = i % 16 + dx, y = i / 16 + dy;
      if (x >= 0 && x < width && y >= 0 && y < 12) WITHIN(x + y);
    }
  RESULT;
}
