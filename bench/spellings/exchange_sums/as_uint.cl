// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bits are changed by as_uint, and the place is computed for each access.
kernel void sums(global const int* places, global const float* values, volatile global uint* y) {
  int i = get_global_id(0);
  uint old, next;
  do {
    old = y[places[i]];
    next = as_uint(as_float(old) + values[i]);
  } while (atomic_cmpxchg(&y[places[i]], old, next) != old);
}
