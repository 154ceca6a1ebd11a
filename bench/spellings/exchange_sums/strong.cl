// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The strong exchange of C11, on atomic integers, in the strictest order.
kernel void sums(global const int* places, global const float* values, global atomic_uint* y) {
  int i = get_global_id(0);
  global atomic_uint* place = y + places[i];
  uint old = atomic_load(place), next;
  do
    next = as_uint(as_float(old) + values[i]);
  while (!atomic_compare_exchange_strong(place, &old, next));
}
