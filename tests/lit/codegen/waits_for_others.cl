// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %report %s --cpu x86-64-v3 | %check
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

// Marks what it finds, and goes on to the end in any case: nobody waits.
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
