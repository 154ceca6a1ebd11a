// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that try an exchange again, beside locks. All work-items may want one place (places == 1), or each its own.
float what(int i) { return i % 5 + 0.5f; }

kernel void by_union(volatile global float* sums, int places) {
  int i = get_global_id(0);
  volatile global float* p = sums + i % places;
  union {
    uint u;
    float f;
  } old, next;
  do {
    old.f = *p;
    next.f = old.f + what(i);
  } while (atomic_cmpxchg((volatile global uint*)p, old.u, next.u) != old.u);
}

kernel void by_found(volatile global float* sums, int places) {
  int i = get_global_id(0);
  volatile global uint* p = (volatile global uint*)(sums + i % places);
  uint old = *p, seen;
  while ((seen = atomic_cmpxchg(p, old, as_uint(as_float(old) + what(i)))) != old)
    old = seen;
}

kernel void by_break(volatile global float* sums, int places) {
  int i = get_global_id(0);
  while (true) {
    uint old = as_uint(sums[i % places]);
    if (atomic_cmpxchg((volatile global uint*)&sums[i % places], old, as_uint(as_float(old) + what(i))) == old) break;
  }
}

kernel void by_two(volatile global float* sums, int places) {
  int i = get_global_id(0);
  float mine = what(i);
  while ((mine = atomic_xchg(sums + i % places, atomic_xchg(sums + i % places, 0.0f) + mine)) != 0.0f)
    ;
}

kernel void by_weak(global atomic_float* sums, int places) {
  int i = get_global_id(0);
  float old = atomic_load_explicit(sums + i % places, memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_weak_explicit(sums + i % places, &old, old + what(i), memory_order_relaxed,
                                                memory_order_relaxed, memory_scope_device))
    ;
}

kernel void by_strong(global atomic_uint* sums, int places) {
  int i = get_global_id(0);
  uint old = atomic_load(sums + i % places);
  while (true)
    if (atomic_compare_exchange_strong(sums + i % places, &old, as_uint(as_float(old) + what(i)))) return;
}

// Several ways lead around, some of which try nothing.
kernel void in_a_loop(volatile global float* sums, int places) {
  int i = get_global_id(0);
  for (int part = 0; part < 3; ++part) {
    if ((i + part) % 3 == 0) continue;
    uint old, next;
    do {
      old = as_uint(sums[i % places]);
      next = as_uint(as_float(old) + what(i) / 2);
    } while (atomic_cmpxchg((volatile global uint*)&sums[i % places], old, next) != old);
  }
}

kernel void in_local_memory(global float* sums, int places) {
  local float bins[64];
  int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
  for (int k = l; k < places; k += size)
    bins[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  volatile local uint* p = (volatile local uint*)&bins[i % places];
  uint old, seen = *p;
  do {
    old = seen;
    seen = atomic_cmpxchg(p, old, as_uint(as_float(old) + what(i)));
  } while (seen != old);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = l; k < places; k += size) {
    volatile global uint* q = (volatile global uint*)&sums[k];
    do
      old = *q;
    while (atomic_cmpxchg(q, old, as_uint(as_float(old) + bins[k])) != old);
  }
}

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void of_doubles(global double* sums, int places) {
  int i = get_global_id(0);
  volatile global long* p = (volatile global long*)(sums + i % places);
  long old;
  do
    old = *p;
  while (atom_cmpxchg(p, old, as_long(as_double(old) + what(i))) != old);
}

// A lock around a loop of exchanges, and a ticket that such a loop draws.
kernel void with_lock(volatile global float* sums, int places, volatile global int* lock) {
  int i = get_global_id(0);
  bool done = false;
  while (!done)
    if (atomic_cmpxchg(lock, 0, 1) == 0) {
      uint old;
      do
        old = as_uint(sums[i % places]);
      while (atomic_cmpxchg((volatile global uint*)&sums[i % places], old, as_uint(as_float(old) + what(i))) != old);
      atomic_xchg(lock, 0);
      done = true;
    }
}

kernel void with_ticket(volatile global float* sums, int places, volatile global int* lock) {
  int i = get_global_id(0), mine;
  do
    mine = lock[0];
  while (atomic_cmpxchg(&lock[0], mine, mine + 1) != mine);
  while (atomic_or(&lock[1], 0) != mine)
    ;
  sums[i % places] += what(i);
  atomic_inc(&lock[1]);
}

// The exchanges end by themselves, but set a bit until it was not set.
kernel void with_bit(volatile global float* sums, int places, volatile global int* lock) {
  int i = get_global_id(0), old, seen;
  do {
    old = 0;
    while ((seen = atomic_cmpxchg(lock, old, old | 1)) != old)
      old = seen;
  } while (old & 1);
  sums[i % places] += what(i);
  atomic_and(lock, ~1);
}

kernel void most(global int* most, int places) {
  int i = get_global_id(0);
  volatile global int* p = most + i % places;
  while (true) {
    int old = *p;
    if (old >= i * 7 % 101) break;
    if (atomic_cmpxchg(p, old, i * 7 % 101) == old) break;
  }
}

kernel void most_found(global atomic_int* most, int places) {
  int i = get_global_id(0), mine = i * 7 % 101, old = atomic_load(most + i % places);
  while (old < mine && !atomic_compare_exchange_strong(most + i % places, &old, mine))
    ;
}

// Keys that come several times, in a table of 64 places. Who puts one there counts.
kernel void insert(global uint* counts, int keys, volatile global uint* table) {
  uint key = get_global_id(0) % keys, h = key * 2654435761u >> 26;
  while (true) {
    uint old = atomic_cmpxchg(table + h, 0u, key + 1);
    if (old == 0) atomic_inc(counts + key);
    if (old == 0 || old == key + 1) break;
    h = (h + 1) & 63;
  }
}

kernel void insert_if_empty(global uint* counts, int keys, volatile global uint* table) {
  uint key = get_global_id(0) % keys;
  for (uint h = key % 8;; h = (h + 1) % 64) {
    uint old = table[h];
    if (old == 0) {
      old = atomic_cmpxchg(&table[h], 0u, key + 1);
      if (old == 0) atomic_inc(&counts[key]);
    }
    if (old == 0 || old == key + 1) return;
  }
}

kernel void insert_strong(global uint* counts, int keys, global atomic_uint* table) {
  uint key = get_global_id(0) % keys, h = key % 8, empty = 0;
  while (!atomic_compare_exchange_strong(table + h, &empty, key + 1)) {
    if (empty == key + 1) return;
    h = (h + 1) & 63;
    empty = 0;
  }
  atomic_inc((volatile global uint*)counts + key);
}

kernel void insert_locally(global uint* counts, int keys) {
  local uint table[64];
  uint key = get_global_id(0) % keys, h = key * 5 % 64;
  for (uint i = get_local_id(0); i < 64; i += get_local_size(0))
    table[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  while (true) {
    uint old = atomic_cmpxchg(&table[h], 0u, key + 1);
    if (old == 0 || old == key + 1) break;
    h = (h + 1) & 63;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint found = 0;
  for (uint i = 0; i < 64; ++i)
    found += table[i] == key + 1;
  counts[get_global_id(0)] = found;
}

// Eight places that are given back; with locks, one lane after the other must be able to go on.
kernel void pool(global uint* counts, int places, volatile global uint* used) {
  uint h = get_global_id(0) % places;
  bool done = false;
  for (; !done; h = (h + 1) % places)
    if (atomic_cmpxchg(&used[h], 0u, 1u) == 0) {
      atomic_inc(counts);
      atomic_xchg(&used[h], 0u);
      done = true;
    }
}

// The list's nodes are counted behind a barrier.
kernel void push(global int* sums) {
  local int head, next[64];
  int l = get_local_id(0);
  head = -1;
  barrier(CLK_LOCAL_MEM_FENCE);
  int old;
  do {
    old = *(volatile local int*)&head;
    next[l] = old;
  } while (atomic_cmpxchg(&head, old, l) != old);
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int node = head; node >= 0; node = next[node])
    sum += node + 1;
  sums[get_global_id(0)] = sum;
}

// One more, but by no atomic operation that there is.
uint after(uint x) { return x + (x < 1000 ? 1 : 2); }

// Tickets that a loop draws are all different, also if its lanes have nothing else that differs.
kernel void draw(global uint* taken, volatile global uint* next) {
  uint mine;
  do
    mine = *next;
  while (atomic_cmpxchg(next, mine, after(mine)) != mine);
  atomic_inc(taken + mine);
}

// Only some lanes draw, from two places.
kernel void draw_some(global uint* taken, volatile global uint* next) {
  uint i = get_global_id(0), mine = i;
  if (i % 3 != 1) {
    volatile global uint* place = next + (i / 3 & 1);
    uint old = *place;
    while ((mine = atomic_cmpxchg(place, old, old + 1)) != old)
      old = mine;
    taken += 1 + get_global_size(0) / 3 * (1 + (i / 3 & 1));
    atomic_inc(taken + mine);
  } else {
    taken[i / 3] = 1;
  }
}

kernel void draw_in_sub_groups(global uint* taken, global atomic_uint* next) {
  uint mine = atomic_load(next);
  while (!atomic_compare_exchange_weak(next, &mine, after(mine)))
    ;
  uint least = sub_group_reduce_min(mine), most = sub_group_reduce_max(mine);
  if (mine >= least && mine <= most && most - least + 1 >= get_sub_group_size()) atomic_inc(taken + mine);
}

// What loops do that are one atomic operation.
kernel void operations(volatile global int* numbers, volatile global float* reals, global atomic_int* found) {
  int i = get_global_id(0), old, seen;
  float real;
  do
    old = numbers[0];
  while (atomic_cmpxchg(numbers, old, old - i) != old);
  old = numbers[1];
  while ((seen = atomic_cmpxchg(numbers + 1, old, max(i * 7 % 101, old))) != old)
    old = seen;
  do
    old = numbers[2];
  while (atomic_cmpxchg(numbers + 2, old, old | 1 << i % 31) != old);
  do
    real = reals[0];
  while (atomic_cmpxchg((volatile global int*)reals, as_int(real), as_int(real - what(i))) != as_int(real));
  // Not a sum of what was there and something, but the other way round.
  do
    old = numbers[3];
  while (atomic_cmpxchg(numbers + 3, old, 1 - old) != old);
  int own = atomic_load(found);
  while (!atomic_compare_exchange_strong(found, &own, own + 3))
    ;
  atomic_fetch_add(found + 1, own);
}

kernel void of_vectors(volatile global uint* sums, int places, global const uint4* values) {
  int i = get_global_id(0);
  const uint4 value = values[i];
  uint old;
  do
    old = sums[i % places];
  while (atomic_cmpxchg(sums + i % places, old, old + value[old & 3]) != old);
}

// What was found and where it was are both used behind the loop.
kernel void insert_and_look(global uint* found, int keys, volatile global uint* table, uint size) {
  uint key = get_global_id(0) % keys, h = key * 7 % size, old;
  while ((old = atomic_cmpxchg(table + h, 0u, key + 1)) != 0 && old != key + 1)
    h = (h + 1) % size;
  found[get_global_id(0)] = (old == 0 || old == key + 1) && table[h] == key + 1;
}

// A list of all work-items, which the last one counts. A spin lock would do the same.
kernel void push_globally(global int* result, volatile global int* next, volatile global int* head) {
  int i = get_global_id(0), old = head[0], found;
  while (true) {
    next[i] = old;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    found = atomic_cmpxchg(head, old, i + 1);
    if (found == old) break;
    old = found;
  }
  if (atomic_inc(head + 1) != (int)get_global_size(0) - 1) return;
  int length = 0, sum = 0;
  for (int node = head[0]; node != 0 && length <= (int)get_global_size(0); node = next[node - 1]) {
    ++length;
    sum += node;
  }
  result[0] = length;
  result[1] = sum;
}

// A lock for each place, taken by an exchange that spins and released in the same round.
kernel void with_locks(volatile global float* sums, int places, volatile global int* locks) {
  int i = get_global_id(0), place = i % places;
  for (bool done = false; !done;)
    if (atomic_cmpxchg(locks + place, 0, i + 1) == 0) {
      sums[place] += what(i);
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      atomic_cmpxchg(locks + place, i + 1, 0);
      done = true;
    }
}

// A lock that is only released behind the loop.
kernel void with_spin_lock(volatile global float* sums, int places, volatile global int* lock) {
  int i = get_global_id(0);
  while (atomic_cmpxchg(lock, 0, 1) != 0)
    ;
  sums[i % places] += what(i);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_xchg(lock, 0);
}
