// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places that are more and more apart.
kernel void insert(global const uint* keys, volatile global int* table, global uint* isIn, uint mask) {
  int key = keys[get_global_id(0)];
  uint h = key * 2654435761u, step = 0;
  int old;
  do {
    h += step++;
    old = atomic_cmpxchg(&table[h & mask], 0, key);
  } while (old != 0 && old != key);
  if (old == 0) isIn[key] = 1;
}
