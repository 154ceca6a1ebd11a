// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By C11.
kernel void insert(global const uint* keys, global atomic_uint* table, global uint* isIn, uint mask) {
  uint key = keys[get_global_id(0)], h = (key * 2654435761u) & mask, found = 0;
  while (!atomic_compare_exchange_strong_explicit(&table[h], &found, key, memory_order_relaxed, memory_order_relaxed,
                                                  memory_scope_device)) {
    if (found == key) return;
    h = (h + 1) & mask;
    found = 0;
  }
  isIn[key] = 1;
}
