// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes are put before those that a list has. What an exchange finds is the next head.
kernel void clear(global int* heads) { heads[get_global_id(0)] = -1; }

kernel void push(global int* next, global int* heads, int mask) {
  int i = get_global_id(0);
  global int* place = heads + (i & mask);
  int head = *place, found;
  while (true) {
    next[i] = head;
    found = atomic_cmpxchg(place, head, i);
    if (found == head) break;
    head = found;
  }
}

kernel void walk(global const int* next, global const int* heads, global int* sums) {
  int sum = 0;
  for (int node = heads[get_global_id(0)]; node >= 0; node = next[node])
    sum += node & 255;
  sums[get_global_id(0)] = sum;
}
