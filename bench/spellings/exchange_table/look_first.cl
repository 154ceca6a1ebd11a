// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only what looks empty is exchanged.
kernel void insert(global const uint* keys, volatile global uint* table, global uint* isIn, uint mask) {
  uint key = keys[get_global_id(0)], h = (key * 2654435761u) & mask;
  for (;;) {
    uint old = table[h];
    if (old == 0) {
      old = atomic_cmpxchg(&table[h], 0u, key);
      if (old == 0) isIn[key] = 1;
    }
    if (old == 0 || old == key) break;
    h = (h + 1) & mask;
  }
}
