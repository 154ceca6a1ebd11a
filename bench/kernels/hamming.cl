// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For each signature of 128 bits, the nearest of a set.
kernel void nearest(global const ulong2* queries, global const ulong2* set, global uint* result, int count) {
  size_t i = get_global_id(0);
  ulong2 query = queries[i];
  uint best = 0xFFFFFFFF;
  for (int k = 0; k < count; k++) {
    ulong2 bits = popcount(query ^ set[k]);
    uint distance = (uint)(bits.x + bits.y) << 16 | k;
    best = min(best, distance);
  }
  result[i] = best;
}
