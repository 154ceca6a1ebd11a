// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of reals in places that are drawn. A union changes types, and each round reads the place.
void add(volatile global float* sum, float x) {
  union {
    uint bits;
    float value;
  } old, next;
  do {
    old.value = *sum;
    next.value = old.value + x;
  } while (atomic_cmpxchg((volatile global uint*)sum, old.bits, next.bits) != old.bits);
}

kernel void sums(global const int* places, global const float* values, volatile global float* y) {
  int i = get_global_id(0);
  add(y + places[i], values[i]);
}
