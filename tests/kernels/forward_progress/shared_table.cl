// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items take a place of a table, and give it back by another argument: the same buffer.
kernel void take(global int* table, global int* again, global int* total) {
  int i = get_global_id(0) & 3;
  while (atomic_cmpxchg(table + i, 0, 1) != 0)
    i = (i + 1) & 3;
  atomic_inc(total);
  atomic_xchg(again + i, 0);
}

// A place that is counted elsewhere is taken for good.
kernel void insert(global int* table, global int* count, int mask) {
  const int key = get_global_id(0) + 1;
  int i = (key * 7) & mask;
  while (atomic_cmpxchg(table + i, 0, key) != 0)
    i = (i + 1) & mask;
  atomic_inc(count);
}

// Sub-groups, too.
kernel void together(global int* table, global int* again, global int* total) {
  int i = get_sub_group_local_id() == 0 ? (int)get_global_id(0) & 3 : 0;
  if (get_sub_group_local_id() == 0) {
    while (atomic_cmpxchg(table + i, 0, 1) != 0)
      i = (i + 1) & 3;
    atomic_inc(total);
    atomic_xchg(again + i, 0);
  }
}
