// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items that change one place, and use what they find there. No two find the same.

kernel void tickets(global const int* in, global int* counter, global int* taken) {
  taken[atomic_inc(counter)] = 1;
}

kernel void some(global const int* in, global int* counter, global int* taken) {
  int v = in[get_global_id(0)];
  if (v > 0) {
    int first = atomic_add(counter, v);
    for (int k = 0; k < v; ++k)
      taken[first + k] += 1;
  }
}

kernel void down(global const int* in, global int* counter, global int* taken) {
  int v = in[get_global_id(0)] & 3;
  int end = atomic_sub(counter, v);
  for (int k = 1; k <= v; ++k)
    taken[end - k] += 1;
}

kernel void bits(global const int* in, global int* word, global int* firsts) {
  int bit = in[get_global_id(0)] & 31;
  if (!(atomic_or(word, 1 << bit) >> bit & 1))
    atomic_inc(&firsts[bit]);
}

kernel void cleared(global const int* in, global int* word, global int* firsts) {
  int bit = in[get_global_id(0)] & 31;
  if (atomic_and(word, ~(1 << bit)) >> bit & 1)
    atomic_inc(&firsts[bit]);
}

kernel void toggled(global const int* in, global int* word, global int* changes) {
  int bit = in[get_global_id(0)] & 31;
  int before = atomic_xor(word, 1 << bit) >> bit & 1;
  atomic_add(&changes[bit], before ? -1 : 1);
}

// How often the largest number of before was less than a work-item's own: at least once, and never for the smallest.
kernel void records(global const int* in, global int* largest, global int* seen) {
  int v = in[get_global_id(0)];
  int before = atomic_max(largest, v);
  if (before < v)
    seen[v] = 1;
}

kernel void longs(global const int* in, global ulong* counter, global int* taken) {
  ulong v = in[get_global_id(0)] > 0 ? 1 : 2;
  ulong first = atom_add(counter, v);
  taken[first] += 1;
  if (v == 2)
    taken[first + 1] += 1;
}

kernel void local_tickets(global const int* in, global int* out) {
  local int counter, taken[64];
  int l = get_local_id(0);
  if (l == 0)
    counter = 0;
  taken[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (in[get_global_id(0)] > 0)
    taken[atomic_inc(&counter)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = taken[l] == (l < counter);
}

// Uniform values, used and not.
kernel void uniform_values(global int* sums, global uint* extremes, int v) {
  atomic_add(&sums[0], v);
  atomic_sub(&sums[1], v);
  atomic_xor(&sums[2], v);
  atomic_or(&sums[3], v);
  atomic_and(&sums[4], v);
  atomic_min(&extremes[0], (uint)v);
  atomic_max(&extremes[1], (uint)v);
  if (get_global_id(0) % 3 == 1) {
    atomic_add(&sums[5], v);
    atomic_xor(&sums[6], v);
  }
}
