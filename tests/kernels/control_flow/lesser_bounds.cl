// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over a part of some data for each work-item, the last of which end with the data. Counts rounds, and adds up how
// far the counter has come.
#define ROUND(distance) rounds++, far += (distance)
#define RESULT out[get_global_id(0)] = 1000 * rounds + far
#define BEGIN int rounds = 0, far = 0

kernel void least(global int* out, int n, int all) {
  BEGIN;
  int first = (int)get_global_id(0) * n;
  for (int k = first; k < min(first + n, all); ++k) ROUND(k - first);
  RESULT;
}

kernel void least_before(global int* out, int n, int all) {
  BEGIN;
  int i = get_global_id(0), end = min(all, (i + 1) * n);
  for (int k = i * n; k < end; ++k) ROUND(k - i * n);
  RESULT;
}

kernel void chosen(global int* out, int all) {
  BEGIN;
  int i = get_global_id(0), end = i * 13 + 13 < all ? i * 13 + 13 : all;
  for (int k = i * 13; k < end; ++k) ROUND(k - i * 13);
  RESULT;
}

kernel void both(global int* out, int n, int all) {
  BEGIN;
  int first = (int)get_global_id(0) * n;
  for (int k = first; k < first + n && k < all; ++k) ROUND(k - first);
  RESULT;
}

kernel void both_otherwise(global int* out, int n, int all) {
  BEGIN;
  int first = (int)get_global_id(0) * n;
  for (int k = first; k < all && first + n > k; ++k) ROUND(k - first);
  RESULT;
}

kernel void up_to(global int* out, int n, int all) {
  BEGIN;
  int first = (int)get_global_id(0) * n, last = min(first + n, all) - 1;
  for (int k = first; k <= last; ++k) ROUND(k - first);
  RESULT;
}

kernel void differs(global int* out, int n, int all) {
  BEGIN;
  int first = (int)get_global_id(0) * n;
  if (first > all) return;
  for (int k = first; k != min(first + n, all); ++k) ROUND(k - first);
  RESULT;
}

// From the end of a part down to its beginning, or to the data's.
kernel void down(global int* out, int n, int least) {
  BEGIN;
  int end = ((int)get_global_id(0) + 1) * n;
  for (int k = end - 1; k >= max(end - n, least); --k) ROUND(end - 1 - k);
  RESULT;
}

kernel void steps(global int* out, int n, int all) {
  BEGIN;
  int first = (int)get_global_id(0) * n;
  for (int k = first; k < min(first + n, all); k += 3) ROUND((k - first) / 3);
  RESULT;
}

kernel void long_least(global int* out, long n, long all) {
  BEGIN;
  long first = (long)get_global_id(0) * n;
  for (long k = first; k < min(first + n, all); ++k) ROUND((int)(k - first));
  RESULT;
}

// These wrap around in some work-items.
kernel void unsigned_least(global int* out, uint base, uint n, uint all) {
  BEGIN;
  uint first = base + (uint)get_global_id(0) * n;
  for (uint k = first; k < min(first + n, all); ++k) ROUND(k - first);
  RESULT;
}

kernel void unsigned_both(global int* out, uint base, uint n, uint all) {
  BEGIN;
  uint first = base + (uint)get_global_id(0) * n;
  for (uint k = first; k < first + n && k < all; ++k) ROUND(k - first);
  RESULT;
}

kernel void unsigned_constant(global int* out, uint base, uint all) {
  BEGIN;
  uint first = base + (uint)get_global_id(0) * 13, end = min(all, first + 13);
  for (uint k = first; k < end; ++k) ROUND(k - first);
  RESULT;
}

kernel void size_least(global int* out, ulong base, ulong all) {
  BEGIN;
  size_t first = base + get_global_id(0) * 13;
  for (size_t k = first; k < min(first + 13, (size_t)all); ++k) ROUND((int)(k - first));
  RESULT;
}

// The index is read by memory, too.
kernel void loads(global int* out, global const int* in, uint n, uint all) {
  BEGIN;
  uint first = (uint)get_global_id(0) * n, end = min(first + n, all);
  for (uint k = first; k < end; ++k) ROUND(in[k] - (int)first);
  RESULT;
}

kernel void pointers(global int* out, global const int* in, int n, int all) {
  BEGIN;
  global const int *first = in + (int)get_global_id(0) * n, *end = in + all;
  for (global const int* p = first; p < first + n && p < end; ++p) ROUND(*p - *first);
  RESULT;
}

kernel void some_work_items(global int* out, int n, int all) {
  BEGIN;
  int first = (int)get_global_id(0) * n;
  if (get_global_id(0) % 5 != 3)
    for (int k = first; k < min(first + n, all); ++k) ROUND(k - first);
  RESULT;
}

kernel void leaves_early(global int* out, int n, int all) {
  BEGIN;
  int first = (int)get_global_id(0) * n;
  for (int k = first; k < min(first + n, all); ++k) {
    if (k % 1000 == 777) break;
    ROUND(k - first);
  }
  RESULT;
}

kernel void nested(global int* out, int n, int m, int all) {
  BEGIN;
  int first = (int)get_global_id(0) * m;
  for (int j = first; j < min(first + m, all); ++j)
    for (int k = j * n; k < min(j * n + n, all * n); ++k) ROUND(k - j * n);
  RESULT;
}

// What the loop has come to is used behind it.
kernel void reached(global int* out, int n, int all) {
  BEGIN;
  int first = (int)get_global_id(0) * n, k = first;
  for (; k < min(first + n, all); ++k) ROUND(k - first);
  out[get_global_id(0)] = 1000 * rounds + far + 100000 * (k - first);
}

kernel void waits(global int* out, int n, int all) {
  BEGIN;
  local int shared[64];
  int first = (int)get_global_id(0) * n;
  for (int k = first; k < min(first + n, all); ++k) ROUND(k - first);
  shared[get_local_id(0)] = 1000 * rounds + far;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = shared[get_local_id(0) ^ 1];
}
