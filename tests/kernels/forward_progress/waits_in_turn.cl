// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each wave of 64 work-items is at least one sub-group; the first waits for the last, directly or by way of the others.
// None may go on before the one after it has, although they begin in the other order.
kernel void relay(global uint* out, volatile local uint* flags) {
  const uint wave = get_local_id(0) / 64, waves = get_local_size(0) / 64;
  if (get_local_id(0) % 64 == 0) flags[wave] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) % 64 == 0) {
    uint passed = 1;
    if (wave + 1 < waves) {
      while (flags[wave + 1] == 0)
        ;
      passed += flags[wave + 1];
    }
    flags[wave] = passed;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = flags[wave] + get_local_id(0);
}

// Waves wait by atomics, at different places of divergent flow, more than once, with values live across the waits.
kernel void rounds(global uint* out, local atomic_uint* turn) {
  const uint lid = get_local_id(0), wave = lid / 64, waves = get_local_size(0) / 64;
  if (lid == 0) atomic_store_explicit(turn, 0, memory_order_relaxed, memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint history[4];
  for (uint round = 0; round < 4; ++round) {
    history[round] = lid * round;
    if (lid % 64 == wave) {
      const uint mine = round * waves + (waves - 1 - wave);
      if (wave % 2 == 0) {
        while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_work_group) != mine)
          ;
        history[round] += 1000;
      } else {
        uint seen;
        do {
          seen = atomic_load_explicit(turn, memory_order_acquire, memory_scope_work_group);
        } while (seen != mine);
        history[round] += 2000;
      }
      atomic_store_explicit(turn, mine + 1, memory_order_release, memory_scope_work_group);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = atomic_load_explicit(turn, memory_order_relaxed, memory_scope_work_group) * 100000;
  for (uint round = 0; round < 4; ++round) sum += history[round];
  out[get_global_id(0)] = sum;
}

// Some have left when the others meet at a barrier, and when they wait.
kernel void leaves(global uint* out, volatile local uint* flag) {
  const uint lid = get_local_id(0), wave = lid / 64;
  if (lid == 0) *flag = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (wave == 1) {
    if (lid % 64 == 5) *flag = 7;
    out[get_global_id(0)] = 1;
    return;
  }
  while (*flag != 7)
    ;
  out[get_global_id(0)] = *flag + wave;
}

// A lock that one work-item of each wave takes, through a function that is not inlined by itself.
void __attribute__((noinline)) take(volatile global uint* lock) {
  while (atomic_xchg(lock, 1) != 0)
    ;
}
kernel void locks(global uint* count, volatile global uint* lock) {
  if (get_local_id(0) % 64 == 3)
    for (int i = 0; i < 10; ++i) {
      take(lock);
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      *count = *count + 1;
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      atomic_xchg(lock, 0);
    }
}

// What others write into local memory is seen behind a barrier, without volatile.
kernel void exchange(global uint* out, local uint* data, volatile local uint* flag) {
  const uint lid = get_local_id(0), size = get_local_size(0);
  local uint own[512];
  if (lid == 0) *flag = 0;
  data[lid] = lid;
  own[lid] = 3 * lid;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid == 0)
    while (*flag == 0)
      ;
  if (lid == size - 1) *flag = 1;
  data[size - 1 - lid] += 1000;
  own[size - 1 - lid] += 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint before = data[lid] + own[lid];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[(lid + 1) % size] = lid;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = before * 1000 + data[lid];
}

// What is waited by stands in a function without a loop, and an exchange tells and asks at once.
uint __attribute__((noinline)) look(volatile local uint* flag) { return *flag; }
void __attribute__((noinline)) large(volatile local uint* flag, global uint* out) {
  int values[20000];
  for (int i = 0; i < 20000; ++i) values[i] = i * out[i % 7];
  if (values[out[0] % 20000] == -1) *flag = 9;
}
kernel void helpers(global uint* out, volatile local uint* flags) {
  const uint wave = get_local_id(0) / 64, waves = get_local_size(0) / 64;
  if (get_local_id(0) == 0) flags[0] = flags[1] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) % 64 == 0) {
    while (atomic_or(flags, 1u << wave) != (1u << waves) - 1)
      ;
    if (wave == waves - 1) {
      large(flags, out);
      flags[1] = 1;
    }
    while (look(flags + 1) == 0)
      ;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = flags[0];
}

// One sub-group writes at places that the compiler knows, and all read once they have met.
__attribute__((reqd_work_group_size(64, 1, 1), intel_reqd_sub_group_size(16))) kernel void one_fills(global uint* out, global uint* seen, global atomic_uint* flag) {
  local uint x[512];
  const uint s = get_sub_group_local_id();
  while (atomic_load(flag) == 0)
    ;
  if (get_sub_group_id() == 0) {
    for (uint i = 0; i < 32; ++i)
      x[(s + 16 * i) * 3 % 512] = i;
    seen[s] = 1;
    for (uint i = 0; i < 32; ++i)
      x[(s + 16 * i) * 5 % 512] = i;
    seen[s] = 2;
    for (uint i = 0; i < 32; ++i)
      x[(s + 16 * i) * 7 % 512] = i;
    seen[s] = 3;
    for (uint i = 0; i < 32; ++i)
      x[(s + 16 * i) * 3 % 512] = 100 + s + i;
    seen[s] = 4;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = x[s * 3];
}

int subtract(volatile local uint* s) {
  uint old;
  do old = *s; while (atomic_cmpxchg(s, old, old - 1) != old);
  return (int)old;
}

// A loop that takes back what it has subtracted has not gone on, whether it does so by exchanges or at once.
kernel void semaphore(global uint* out, local uint* s) {
  const uint l = get_local_id(0);
  if (l == 0) *s = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == get_local_size(0) - 1)
    atomic_add(s, 1000000u);
  else
    while (subtract(s) <= 0) atomic_add(s, 1u);
  out[get_global_id(0)] = l;
}

kernel void counted_semaphore(global uint* out, local uint* s) {
  const uint l = get_local_id(0);
  if (l == 0) *s = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == get_local_size(0) - 1)
    atomic_add(s, 1000000u);
  else
    while ((int)atomic_sub(s, 1u) <= 0) atomic_add(s, 1u);
  out[get_global_id(0)] = l;
}

// Nor has one that flips a bit until it sees another's.
kernel void flips(global uint* out, local uint* s) {
  const uint l = get_local_id(0);
  uint old;
  if (l == 0) *s = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == get_local_size(0) - 1) {
    atomic_or(s, 2u);
  } else {
    do {
      do old = *(volatile local uint*)s; while (atomic_cmpxchg(s, old, old ^ 4) != old);
    } while (!(old & 2));
  }
  out[get_global_id(0)] = l;
}
