// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters in local memory that a loop adds to get a copy for every fourth lane; what is read of them is the sum.
#define FOR_EACH(k, count) for (int k = get_local_linear_id(); k < count; k += get_local_size(0) * get_local_size(1))

// Cleared, counted and looked at twice.
kernel void twice(global const uchar* data, global uint* out, int rounds) {
  local uint mine[64];
  const int items = get_global_size(0), id = get_global_id(0);
  FOR_EACH(k, 64) mine[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < rounds; i++)
    atomic_inc(&mine[data[i * items + id] & 63]);
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_EACH(k, 64) atomic_add(&out[k], mine[k]);
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_EACH(k, 64) mine[k] = 1000;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < rounds; i++)
    atomic_sub(&mine[data[i * items + id] & 31], 3);
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_EACH(k, 64) atomic_add(&out[64 + k], mine[k] - 1000);
}

// As often as the loop goes round, and under a condition; sums of 64 bits.
kernel void in_rounds(global const uchar* data, global ulong* out, int rounds) {
  local ulong mine[7];
  const int items = get_global_size(0), id = get_global_id(0);
  FOR_EACH(k, 7) mine[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int part = 0; part < 3; part++) {
    for (int i = 0; i < rounds; i++)
      if (data[i * items + id] < 200) atom_add(&mine[data[i * items + id] % 7], (ulong)1 << 33);
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_EACH(k, 7) atom_add(&out[k], mine[k]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Two dimensions, and one step for all work-items: the loop that goes through it in whole rounds.
kernel void strided(global const uchar* data, global uint* out, int size) {
  local uint mine[256];
  FOR_EACH(k, 256) mine[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0) + get_global_id(1) * get_global_size(0); i < size;
       i += get_global_size(0) * get_global_size(1))
    atomic_inc(&mine[data[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  FOR_EACH(k, 256) atomic_add(&out[k], mine[k]);
}

// Each work-item may look at its own count without waiting.
kernel void own(global const uchar* data, global uint* out, int rounds) {
  local uint mine[128];
  const int lid = get_local_id(0);
  mine[lid] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = 0;
  for (int i = 0; i < rounds; i++) {
    atomic_add(&mine[lid], data[i]);
    sum += mine[lid];
  }
  out[get_global_id(0)] = sum;
}
