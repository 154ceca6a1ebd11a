// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop over places, from which the kernel returns.
kernel void insert(global const uint* keys, volatile global uint* table, global uint* isIn, uint mask) {
  uint key = keys[get_global_id(0)];
  for (uint h = key * 2654435761u & mask;; h = (h + 1) & mask) {
    uint old = atomic_cmpxchg(&table[h], 0, key);
    if (old == key) return;
    if (old == 0) {
      isIn[key] = 1;
      return;
    }
  }
}
