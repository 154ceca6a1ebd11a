// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes are put before those that a list has. By C11.
kernel void clear(global int* heads) { heads[get_global_id(0)] = -1; }

kernel void push(global int* next, global atomic_int* heads, int mask) {
  int i = get_global_id(0);
  int head = atomic_load_explicit(&heads[i & mask], memory_order_relaxed, memory_scope_device);
  do
    next[i] = head;
  while (!atomic_compare_exchange_weak_explicit(&heads[i & mask], &head, i, memory_order_release, memory_order_relaxed,
                                                memory_scope_device));
}

kernel void walk(global const int* next, global const int* heads, global int* sums) {
  int sum = 0;
  for (int node = heads[get_global_id(0)]; node >= 0; node = next[node])
    sum += node & 255;
  sums[get_global_id(0)] = sum;
}
