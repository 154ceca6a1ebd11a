// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys are put into a table, where another one may be in a key's slot. The work-item that puts a key there says so.
kernel void insert(global const uint* keys, global uint* table, global uint* isIn, uint mask) {
  uint key = keys[get_global_id(0)], h = (key * 2654435761u) & mask;
  while (1) {
    uint old = atomic_cmpxchg(table + h, 0u, key);
    if (old == 0) isIn[key] = 1;
    if (old == 0 || old == key) break;
    h = (h + 1) & mask;
  }
}
