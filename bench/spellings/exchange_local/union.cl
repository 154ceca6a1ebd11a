// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each group's sums in local memory, with a union.
void add(volatile local float* sum, float x) {
  union {
    uint bits;
    float value;
  } old, next;
  do {
    old.value = *sum;
    next.value = old.value + x;
  } while (atomic_cmpxchg((volatile local uint*)sum, old.bits, next.bits) != old.bits);
}

kernel void sums(global const int* places, global const float* values, global float* y) {
  local float bins[256];
  int l = get_local_id(0), i = get_global_id(0);
  bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 16; ++k)
    add(&bins[places[get_group_id(0) * 4096 + k * 256 + l]], values[get_group_id(0) * 4096 + k * 256 + l]);
  barrier(CLK_LOCAL_MEM_FENCE);
  y[i] = bins[l];
}
