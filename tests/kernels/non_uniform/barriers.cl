// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each work-item gets what the one opposite in its work-group had, by way of local memory; then what its neighbour made
// of that.
kernel void exchange(global const uint* in, global uint* out, global uint* shifted, local uint* shared) {
  const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
               z = get_global_id(2) - get_global_offset(2);
  const size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
  const uint n = get_local_size(0) * get_local_size(1) * get_local_size(2), id = get_local_linear_id();
  const uint mine = in[i];
  shared[id] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint other = shared[n - 1 - id];
  out[i] = other;
  barrier(CLK_LOCAL_MEM_FENCE);
  shared[id] = other + mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint next = (get_local_id(0) + 1) % get_local_size(0);
  shifted[i] = shared[id - get_local_id(0) + next];
}
