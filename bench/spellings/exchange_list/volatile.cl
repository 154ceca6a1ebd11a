// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes are put before those that a list has. The list's head is read in each round.
kernel void clear(global int* heads) { heads[get_global_id(0)] = -1; }

kernel void push(global int* next, volatile global int* heads, int mask) {
  int i = get_global_id(0);
  int head;
  do {
    head = heads[i & mask];
    next[i] = head;
  } while (atomic_cmpxchg(&heads[i & mask], head, i) != head);
}

kernel void walk(global const int* next, global const int* heads, global int* sums) {
  int sum = 0;
  for (int node = heads[get_global_id(0)]; node >= 0; node = next[node])
    sum += node & 255;
  sums[get_global_id(0)] = sum;
}
