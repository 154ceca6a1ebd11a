// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each group's sums in local memory that the host gives; what an exchange finds is expected next.
kernel void sums(global const int* places, global const float* values, global float* y, local uint* bins) {
  uint l = get_local_id(0), size = get_local_size(0), first = get_group_id(0) * size * 16;
  bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = first + l; i < first + 16 * size; i += size) {
    local uint* bin = bins + places[i];
    uint old = *bin, assumed;
    do {
      assumed = old;
      old = atomic_cmpxchg(bin, assumed, as_uint(as_float(assumed) + values[i]));
    } while (old != assumed);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  y[get_global_id(0)] = as_float(bins[l]);
}
