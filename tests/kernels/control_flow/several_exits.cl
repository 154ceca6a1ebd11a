// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that some work-items leave before the others, which then leave all at once by one of two ways: what the way
// says is the same for all of them, and nothing that is done without work-items on the other way may change it.
kernel void either_way(global int* out, int end, int other, int x, int y) {
  const int i = get_global_id(0), own = i % 13 - 3;
  int found;
  for (int k = 0;; ++k) {
    if (k == other) {
      found = x;
      break;
    }
    if (own == k) {
      out[i] = 1000 + k;
      return;
    }
    if (k >= end) {
      found = y;
      break;
    }
  }
  out[i] = found;
}

kernel void other_way(global int* out, int end, int other, int x, int y) {
  const int i = get_global_id(0), own = i % 13 - 3;
  int found;
  for (int k = 0;; ++k) {
    if (k >= end) {
      found = y;
      break;
    }
    if (own == k) {
      out[i] = 1000 + k;
      return;
    }
    if (k == other) {
      found = x;
      break;
    }
  }
  out[i] = found;
}

// The counter behind the loop is one of two numbers that are known before it.
kernel void counter(global int* out, int end, int other, int x, int y) {
  const int i = get_global_id(0), own = i % 13 - 3;
  int k;
  for (k = 0; k <= end; ++k) {
    if (k == other) break;
    if (own == k) {
      out[i] = 1000 + k;
      return;
    }
  }
  out[i] = k * x + y;
}
