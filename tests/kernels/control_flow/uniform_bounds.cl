// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over numbers or memory of each work-item's own, with as many rounds in all. Counts rounds, and adds up how far
// the counter has come.
#define ROUND(distance) rounds++, far += (distance)
#define RESULT out[get_global_id(0)] = 1000 * rounds + far
#define BEGIN int rounds = 0, far = 0

kernel void product(global int* out, int n) {
  BEGIN;
  int i = get_global_id(0);
  for (int k = i * n; k < (i + 1) * n; ++k) ROUND(k - i * n);
  RESULT;
}

kernel void constant_product(global int* out) {
  BEGIN;
  int i = get_global_id(0);
  for (int k = i * 13; k < (i + 1) * 13; ++k) ROUND(k - i * 13);
  RESULT;
}

kernel void steps(global int* out, int n) {
  BEGIN;
  int i = get_global_id(0);
  for (int k = i * n - 5; k <= i * n + n; k += 3) ROUND(k - (i * n - 5));
  RESULT;
}

kernel void down(global int* out, int n) {
  BEGIN;
  int i = get_global_id(0);
  for (int k = (i + 1) * n; k > i * n; --k) ROUND((i + 1) * n - k);
  RESULT;
}

kernel void bound_before(global int* out, int n) {
  BEGIN;
  int i = get_global_id(0);
  for (int k = i * n; i * n + n > k; ++k) ROUND(k - i * n);
  RESULT;
}

kernel void long_counter(global int* out, long n) {
  BEGIN;
  long i = get_global_id(0);
  for (long k = i * n; k < i * n + n; ++k) ROUND((int)(k - i * n));
  RESULT;
}

kernel void pointers(global int* out, global const int* in, int n) {
  BEGIN;
  global const int* first = in + get_global_id(0) * n;
  for (global const int* p = first; p < first + n; ++p) ROUND(*p - *first);
  RESULT;
}

kernel void pointers_differ(global int* out, global const int* in, int n) {
  BEGIN;
  int i = get_global_id(0);
  global const int *first = in + i * n, *end = in + (i + 1) * n;
  for (global const int* p = first; p != end; ++p) ROUND(*p - *first);
  RESULT;
}

// These wrap in some work-items, which then have no round, or go through 0.
kernel void wraps(global int* out, uint base, uint n) {
  BEGIN;
  uint first = base + (uint)get_global_id(0) * n;
  for (uint k = first; k < first + n; ++k) ROUND(k - first);
  RESULT;
}

kernel void wraps_by_constant(global int* out, uint base) {
  BEGIN;
  uint first = base + (uint)get_global_id(0) * 13;
  for (uint k = first; k < first + 13; ++k) ROUND(k - first);
  RESULT;
}

kernel void wraps_through_zero(global int* out, uint base, uint n) {
  BEGIN;
  uint first = base + (uint)get_global_id(0) * n;
  for (uint k = first; k != first + n; ++k) ROUND(k - first);
  RESULT;
}

kernel void wraps_below_bound(global int* out, uint base, uint n) {
  BEGIN;
  uint first = base + (uint)get_global_id(0) * n;
  for (uint k = first; k <= first + n - 1; ++k) {
    ROUND(k - first);
    if (rounds > 40) break;
  }
  RESULT;
}

kernel void wraps_size(global int* out, ulong base) {
  BEGIN;
  size_t first = base + get_global_id(0) * 13;
  for (size_t k = first; k < first + 13; ++k) ROUND((int)(k - first));
  RESULT;
}

kernel void tested_last(global int* out, uint base, uint n) {
  BEGIN;
  uint first = base + (uint)get_global_id(0) * n, k = first;
  do ROUND(k - first);
  while (++k < first + n);
  RESULT;
}

kernel void leaves_where_less(global int* out, uint base, uint n) {
  BEGIN;
  uint first = base + (uint)get_global_id(0) * n, k = first;
  for (;; ++k) {
    if (k < first + n) break;
    ROUND(k - first);
    if (rounds > 40) break;
  }
  RESULT;
}

kernel void leaves_early(global int* out, global const int* in, int n) {
  BEGIN;
  int i = get_global_id(0);
  for (int k = i * n; k < (i + 1) * n; ++k) {
    if (in[k] % 7 == 5) break;
    ROUND(k - i * n);
  }
  RESULT;
}

kernel void nested(global int* out, int n, int m) {
  BEGIN;
  int i = get_global_id(0);
  for (int j = i * m; j < (i + 1) * m; ++j)
    for (int k = j * n; k < j * n + n; ++k) ROUND(k - j * n);
  RESULT;
}

// Two counters move.
kernel void towards_each_other(global int* out, uint base, uint n) {
  BEGIN;
  uint first = base + (uint)get_global_id(0) * n;
  for (uint i = first, j = first + n; i < j; ++i, --j) ROUND(i - first);
  RESULT;
}

kernel void towards_until_met(global int* out, uint base, uint n) {
  BEGIN;
  uint first = base + (uint)get_global_id(0) * 2 * n;
  for (uint i = first, j = first + 2 * n; i != j; ++i, --j) ROUND(i - first);
  RESULT;
}

kernel void towards_size(global int* out, ulong n) {
  BEGIN;
  size_t first = get_global_id(0) * n;
  for (size_t i = first, j = first + n; i < j; ++i, --j) ROUND((int)(i - first));
  RESULT;
}

kernel void together(global int* out, uint base, uint n) {
  BEGIN;
  uint first = base + (uint)get_global_id(0) * n;
  for (uint i = first, j = first + n; i < j; ++i, ++j) {
    ROUND(i - first);
    if (rounds > 40) break;
  }
  RESULT;
}

kernel void bound_moves(global int* out, uint n) {
  BEGIN;
  uint first = (uint)get_global_id(0) * n;
  for (uint i = first; i < 2 * first + n - i; ++i) ROUND(i - first);
  RESULT;
}

kernel void signed_towards(global int* out, int n) {
  BEGIN;
  int first = (int)get_global_id(0) * n;
  for (int i = first, j = first + n; i < j; ++i, --j) ROUND(i - first);
  RESULT;
}

kernel void long_bound_before(global int* out, long n) {
  BEGIN;
  long first = (long)get_global_id(0) * n;
  for (long k = first; first + n > k; ++k) ROUND((int)(k - first));
  RESULT;
}
