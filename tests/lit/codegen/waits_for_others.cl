// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %report %s --cpu x86-64-v3 | %check
// RUN: %report %s --cpu x86-64-v3 --options -clotho-width=8 | FileCheck --check-prefix=EIGHT %s
// A loop whose end depends on an atomic access to memory that the kernel writes elsewhere runs one work-item at once:
// lanes leave it together, so that who has a lock would wait for who wants it.

// CHECK: kernel takes_lock: 1 work-item at once, because it has a loop that may wait for another work-item
kernel void takes_lock(global int* lock, global int* sum) {
  bool done = false;
  while (!done) {
    if (atomic_cmpxchg(lock, 0, 1) == 0) {
      *sum += get_global_id(0);
      atomic_xchg(lock, 0);
      done = true;
    }
  }
}

// CHECK: kernel takes_counter: 1 work-item at once, because it has a loop that may wait
kernel void takes_counter(global int* lock, global int* sum) {
  while (atomic_inc(lock) != 0) atomic_dec(lock);
  *sum += get_global_id(0);
  atomic_dec(lock);
}

// So many times, by what is in private memory.
// CHECK: kernel remembers: 1 work-item at once, because it has a loop that may wait
kernel void remembers(global int* lock, global int* sum, int n) {
  volatile int times = 0;
  while (times < n) {
    if (atomic_cmpxchg(lock, 0, 1) == 0) {
      *sum += get_global_id(0);
      atomic_xchg(lock, 0);
      times = times + 1;
    }
  }
}

// Leaves with the lock, from a place to which not every round comes.
// CHECK: kernel takes_slot: 1 work-item at once, because it has a loop that may wait
kernel void takes_slot(global int* used, global const uint* keys, global float* sums, global const float* x, uint n) {
  float work = x[get_global_id(0)];
  for (int k = 0; k < 64; ++k) work = work * work + 0.5f;
  const uint key = get_global_id(0) / 4;
  uint i = get_global_id(0) % n;
  for (;; i = (i + 1) % n)
    if (atomic_xchg(&used[i], 1) == 0) {
      if (keys[i] == key) break;
      atomic_xchg(&used[i], 0);
    }
  sums[i] += work;
  atomic_xchg(&used[i], 0);
}

// By a function, by a copy of a struct, and by an atomic access that the loop's end does not see.
// CHECK: kernel calls: 1 work-item at once, because it has a loop that may wait
__attribute__((noinline)) void finish(int* done, int n) { *done = n; }
kernel void calls(global int* lock, global const float* x, global float* y, int n) {
  float work = x[get_global_id(0)];
  for (int k = 0; k < 64; ++k) work = work * work + 0.5f;
  int done = 0;
  while (!done)
    if (atomic_xchg(lock, 1) == 0) {
      y[0] += work;
      atomic_xchg(lock, 0);
      finish(&done, n);
    }
}

// CHECK: kernel copies: 1 work-item at once, because it has a loop that may wait
struct State { int a[8]; };
kernel void copies(global int* lock, global const struct State* states, global const float* x, global float* y, int n) {
  float work = x[get_global_id(0)];
  for (int k = 0; k < 64; ++k) work = work * work + 0.5f;
  struct State s = states[0];
  while (!s.a[n])
    if (atomic_xchg(lock, 1) == 0) {
      y[0] += work;
      atomic_xchg(lock, 0);
      s = states[1];
    }
}

// CHECK: kernel exchanges: 1 work-item at once, because it has a loop that may wait
kernel void exchanges(global int* lock, global int* mine, global const float* x, global float* y) {
  const int g = get_global_id(0);
  float work = x[g];
  for (int k = 0; k < 64; ++k) work = work * work + 0.5f;
  while (mine[g] == 0)
    if (atomic_cmpxchg(lock, 0, 1) == 0) {
      y[0] += work;
      atomic_xchg(lock, 0);
      atomic_xchg(&mine[g], 1);
    }
}

// What is read there is written elsewhere only if two arguments are one buffer: then the exact variant runs, one
// work-item after the other.
// EIGHT: kernel shares: 8 work-items at once
// EIGHT: exact variant: launches of which the kernel's assumptions do not hold:{{.*}} arguments share no memory
kernel void shares(global int* lock, global const int* a, global int* b, global const float* x, global float* y) {
  const int g = get_global_id(0);
  float work = x[g];
  for (int k = 0; k < 64; ++k) work = work * work + 0.5f;
  while (a[g] == 0)
    if (atomic_cmpxchg(lock, 0, 1) == 0) {
      y[g] += work;
      atomic_xchg(lock, 0);
      b[g] = 1;
    }
}

// This kernel marks what it finds, and goes on to the end in any case: no work-item waits.
// CHECK: kernel finds: {{[2-9]|[0-9][0-9]}} work-items at once
kernel void finds(global const uint* keys, global volatile int* seen, global volatile int* count, global int* found,
                  int n) {
  const uint key = keys[get_global_id(0)];
  for (int k = 0; k < n; ++k) {
    const uint x = key * 0x9e3779b9u + k, y = (x ^ x >> 13) * 0x85ebca6bu;
    if (y % 1000 == 7 && atomic_inc(&seen[y / 1000 % 16]) == 0) {
      const int place = atomic_inc(count);
      if (place >= 16) {
        atomic_dec(count);
        continue;
      }
      found[place] = k;
    }
  }
}
